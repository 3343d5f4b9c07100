import {
  JSON_MEDIA_TYPES,
  jsonObjectOf,
  Problem,
  type RequestContent,
  shown,
  type Violation,
  type ViolationCode,
} from '../../../lib/http/index.ts';
import {
  isJsonObject,
  type JsonObject,
  jsonPointer,
  NamedSchema,
  type NumberSources,
  numberSources,
  objectSchema,
} from '../../../lib/json/index.ts';
import type { Fault } from './fault.ts';
import { MAX_SECONDS, MEMBER_RULES, type MemberRule } from './fault-members.ts';
import { baseOf } from './matching.ts';
import { WITHOUT_CONTENT } from './outcome.ts';

const MEMBERS = Object.keys(MEMBER_RULES);
const MEMBERS_ALLOWED = `a fault may have ${MEMBERS.join(', ')}`;

/** The maximum number of faults. Each request looks for those that hit it. */
const MAX_FAULTS = 100;

/** The maximum number of violations that are reported. */
const MAX_VIOLATIONS = 1000;

/** The members that have an effect; a fault needs at least one. */
const EFFECTS = ['delayMs', 'status', 'abort', 'bytesPerSecond'];

const PROPERTIES = Object.fromEntries(
  Object.entries(MEMBER_RULES).map(([name, { schema }]) => [name, schema]),
);

const FAULT = new NamedSchema('Fault', () => ({
  description: `What goes wrong, and for which requests. It has at least one of ${EFFECTS.map((name) => `\`${name}\``).join(', ')}.`,
  type: 'object',
  properties: PROPERTIES,
  additionalProperties: false,
}));

const LISTED_FAULT = new NamedSchema('ListedFault', () => ({
  description: 'A fault, with the seconds it has left, and how often it has hit.',
  type: 'object',
  required: ['hits'],
  properties: {
    ...PROPERTIES,
    seconds: { type: 'number', minimum: 0, maximum: MAX_SECONDS },
    hits: { type: 'integer', minimum: 0 },
  },
}));

/** The list of faults in responses. */
export const LISTED_FAULTS = listOf('ListedFaults', LISTED_FAULT);

function listOf(name: string, items: NamedSchema): NamedSchema {
  const faults = { type: 'array', items, maxItems: MAX_FAULTS };
  return new NamedSchema(name, () => objectSchema({ faults }));
}

/** The content of a request that sets the faults. */
export const faultsContent: RequestContent<readonly Fault[]> = {
  mediaTypes: JSON_MEDIA_TYPES,
  schema: listOf('Faults', FAULT),
  examples: {
    'a slow service of which a third fails': {
      faults: [{ delayMs: 300 }, { path: '/api/todos', rate: 0.3, status: 503 }],
    },
    'lists come slowly for a minute': {
      faults: [{ method: 'GET', route: '/api/todos', bytesPerSecond: 1000, seconds: 60 }],
    },
    'a script: two failures, then success': {
      faults: [{ path: '/api/todos', status: 503, headers: { 'Retry-After': '1' }, times: 2 }],
    },
    'the page of a gateway': {
      faults: [
        { status: 502, headers: { 'Content-Type': 'text/html' }, content: '<h1>Bad Gateway</h1>' },
      ],
    },
    none: { faults: [] },
  },
  problems: ['malformed-body', 'validation-failed'],
  of: (request) => {
    const { object, text } = jsonObjectOf(request);
    return faultsOf(object.faults, baseOf(request), numberSources(text));
  },
};

/**
 * Checks a list of faults, and copies it without what is as good as absent.
 * @param base the base of the service
 * @param sources finds the texts of numbers, which decide whether they are integers
 * @throws Problem `validation-failed` with all violations
 */
export function faultsOf(
  faults: unknown,
  base = '',
  sources: NumberSources = () => undefined,
): readonly Fault[] {
  const violations: Violation[] = [];
  const violate: Violate = (code, detail, ...path) => {
    violations.push({ pointer: jsonPointer('faults', ...path), code, detail });
  };
  const checked: Fault[] = [];
  if (faults === undefined) violate('required', 'must be present');
  else if (faults === null) violate('not-null', 'must not be null');
  else if (!Array.isArray(faults)) violate('type', `must be an array, not ${shown(faults)}`);
  else if (faults.length > MAX_FAULTS) {
    violate('max-items', `must have at most ${MAX_FAULTS} items, not ${faults.length}`);
  } else {
    // Not a `for` over entries: a program's array may have holes.
    for (const [i, fault] of [...faults].entries()) {
      if (!isJsonObject(fault)) violate('type', `must be an object, not ${shown(fault)}`, i);
      else
        checked.push(
          faultOf(
            fault,
            (name, value, rule) => rule.accepts(value, base, () => sources('faults', i, name)),
            (code, detail, ...path) => violate(code, detail, i, ...path),
          ),
        );
    }
  }
  const [first] = violations;
  if (first === undefined) return checked;
  const detail = `The faults violate rules: ${first.pointer} ${first.detail}`;
  throw new Problem('validation-failed', detail, { errors: violations.slice(0, MAX_VIOLATIONS) });
}

type Violate = (code: ViolationCode, detail: string, ...path: (string | number)[]) => void;

/** Whether a rule accepts the value of a member. */
type Accepts = (name: string, value: unknown, rule: MemberRule) => boolean;

function faultOf(given: JsonObject, accepts: Accepts, violate: Violate): Fault {
  const fault: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const rule = Object.hasOwn(MEMBER_RULES, name) ? MEMBER_RULES[name as keyof Fault] : undefined;
    if (rule === undefined) violate('unknown', `is unknown; ${MEMBERS_ALLOWED}`, name);
    else if (!accepts(name, value, rule)) violate('value', detailOf(rule.allowed, value), name);
    fault[name] = isJsonObject(value) ? textsOf(value) : value;
  }
  if (fault.abort === true) fault.abort = 'before';
  if (fault.abort === false) delete fault.abort;
  if (isJsonObject(fault.headers) && Object.keys(fault.headers).length === 0) delete fault.headers;
  checkTogether(fault, violate);
  return fault;
}

function detailOf(allowed: string, value: unknown): string {
  return `must be ${allowed}${isJsonObject(value) ? '' : `, not ${shown(value)}`}`;
}

/** A copy of an object of texts. */
function textsOf(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([, text]) => text !== undefined));
}

function checkTogether(fault: JsonObject, violate: Violate): void {
  const { status, abort, content } = fault;
  if (!EFFECTS.some((name) => Object.hasOwn(fault, name))) {
    violate('required', `must have one of ${EFFECTS.join(', ')}`);
  }
  if (status === undefined) {
    for (const name of ['headers', 'content']) {
      if (fault[name] !== undefined) violate('value', 'must come with a status', name);
    }
    return;
  }
  if (abort !== undefined && abort !== 'truncate' && MEMBER_RULES.abort.accepts(abort)) {
    violate('value', 'must not be combined with abort, unless that is "truncate"', 'status');
  }
  if (content !== undefined && WITHOUT_CONTENT.includes(status)) {
    violate('value', `must not come with the status ${status}, which has no content`, 'content');
  }
}
