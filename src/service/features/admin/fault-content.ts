import { METHODS } from 'node:http';
import {
  JSON_MEDIA_TYPES,
  jsonObjectOf,
  Problem,
  type RequestContent,
} from '../../../lib/http/index.ts';
import {
  isJsonObject,
  type JsonObject,
  mapValues,
  NamedSchema,
  type NumberSources,
  numberSources,
  objectSchema,
} from '../../../lib/json/index.ts';
import { formatValue } from '../../../lib/printable.ts';
import {
  checkedList,
  checkedMembers,
  type MemberRule,
  type MemberRules,
  range,
  text,
  texts,
} from '../../resource/member-rule.ts';
import { Validation } from '../../resource/validation.ts';
import type { Fault } from './fault.ts';
import { type Addresses, addressRules } from './matching.ts';
import { WITHOUT_CONTENT } from './outcome.ts';

const MAX_DELAY_MS = 3_600_000;
const MAX_SECONDS = 86_400 * 365;

const MAX_COUNT = 1_000_000_000;

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;

/** A value of a header field without control characters (RFC 9110, section 5.5), in Latin-1. */
const FIELD_VALUE = /^(?:[\x21-\x7e\xa0-\xff](?:[\x20-\x7e\xa0-\xff]*[\x21-\x7e\xa0-\xff])?)?$/;

/** The fields of the server, whatever a fault is: framing, the connection, the date, CORS. */
const RESERVED_FIELD = new RegExp(
  '^(?:content-length|transfer-encoding|te|trailer|connection|keep-alive|upgrade|date|' +
    'access-control-.*)$',
  'i',
);

const ABORTS = ['before', 'reset', 'after', 'truncate'];

function faultRules(addresses: Addresses): Readonly<Record<keyof Fault, MemberRule>> {
  return {
    method: {
      ...text('a known method in capital letters', /^[A-Z-]+$/),
      accepts: (value) => value !== 'CONNECT' && METHODS.some((method) => method === value),
    },
    ...addressRules(addresses),
    query: texts('parameters, each with a text', () => true),
    requestHeaders: texts('header fields, each with a text', (name) => TOKEN.test(name)),
    rate: range('number', 0, 1),
    skip: range('integer', 0, MAX_COUNT),
    times: range('integer', 1, MAX_COUNT),
    seconds: {
      schema: { type: 'number', exclusiveMinimum: 0, maximum: MAX_SECONDS },
      allowed: `a number above 0, at most ${MAX_SECONDS}`,
      accepts: (value) => typeof value === 'number' && value > 0 && value <= MAX_SECONDS,
    },
    delayMs: range('number', 0, MAX_DELAY_MS),
    jitterMs: range('number', 0, MAX_DELAY_MS),
    status: range('integer', 200, 599),
    headers: texts(
      'header fields, none of which is about framing, the connection, the date or CORS',
      (name, text) => TOKEN.test(name) && FIELD_VALUE.test(text) && !RESERVED_FIELD.test(name),
    ),
    content: text('a text of well-formed Unicode'),
    abort: {
      schema: {
        type: 'string',
        enum: ABORTS,
        description: '`true` is `"before"`, and `false` means the same as absent.',
      },
      allowed: 'true, false, "before", "reset", "after" or "truncate"',
      accepts: (value) => typeof value === 'boolean' || ABORTS.some((each) => each === value),
    },
    bytesPerSecond: range('number', 1),
  };
}

/** The maximum number of faults, for which each request looks. */
const MAX_FAULTS = 100;

/** The members that have an effect; a fault needs at least one. */
const EFFECTS = ['delayMs', 'status', 'abort', 'bytesPerSecond'];

/** What the first example of a request sets. */
export const FIRST_EXAMPLE: readonly Fault[] = [
  { delayMs: 300 },
  { path: '/api/todos', rate: 0.3, status: 503 },
];

const PAGE = { headers: { 'Content-Type': 'text/html' }, content: '<h1>Bad Gateway</h1>' };

const EXAMPLES: Readonly<Record<string, { readonly faults: readonly Fault[] }>> = {
  'a slow service of which a third fails': { faults: FIRST_EXAMPLE },
  'lists come slowly for a minute': {
    faults: [{ method: 'GET', route: '/api/todos', bytesPerSecond: 1000, seconds: 60 }],
  },
  'a script: two failures, then success': {
    faults: [{ path: '/api/todos', status: 503, headers: { 'Retry-After': '1' }, times: 2 }],
  },
  'the page of a gateway': { faults: [{ status: 502, ...PAGE }] },
  none: { faults: [] },
};

/** The list of faults of a service: the content of a request that sets it, and of responses. */
export function faultLists(addresses: Addresses) {
  const properties = mapValues(faultRules(addresses), ({ schema }) => schema);
  const effects = EFFECTS.map((name) => `\`${name}\``).join(', ');
  const listOf = (name: string, items: NamedSchema) => {
    const faults = { type: 'array', items, maxItems: MAX_FAULTS };
    return new NamedSchema(name, () => objectSchema({ faults }));
  };
  const fault = new NamedSchema('Fault', () => ({
    description: `What goes wrong, and for which requests. It has at least one of ${effects}.`,
    type: 'object',
    properties,
    additionalProperties: false,
  }));
  const seconds = { type: 'number', minimum: 0, maximum: MAX_SECONDS };
  const listedFault = new NamedSchema('ListedFault', () => ({
    description: 'A fault, with the seconds it has left, and how often it has hit.',
    type: 'object',
    required: ['hits'],
    properties: { ...properties, seconds, hits: { type: 'integer', minimum: 0 } },
  }));
  const content: RequestContent<readonly Fault[]> = {
    mediaTypes: JSON_MEDIA_TYPES,
    schema: listOf('Faults', fault),
    examples: EXAMPLES,
    problems: ['malformed-body', 'validation-failed'],
    of: (request) => {
      const { value, text } = jsonObjectOf(request);
      return faultsOf(value.faults, addresses, numberSources(text));
    },
  };
  return { content, listed: listOf('ListedFaults', listedFault) };
}

/** Checks a list of faults, and copies it. @throws Problem with all violations */
export function faultsOf(
  faults: unknown,
  addresses: Addresses,
  sources: NumberSources = () => undefined,
): readonly Fault[] {
  const validation = new Validation((...path) => sources('faults', ...path), ['faults']);
  const rules = faultRules(addresses);
  const checked = checkedList(faults, MAX_FAULTS, validation).map((fault, i) =>
    faultOf(fault, rules, validation.at(i)),
  );
  const [first] = validation.violations;
  if (first === undefined) return checked;
  const detail = `The faults violate rules: ${first.pointer} ${first.detail}`;
  throw new Problem('validation-failed', detail, { errors: validation.violations });
}

function faultOf(given: unknown, rules: MemberRules, validation: Validation): Fault {
  if (!isJsonObject(given)) {
    validation.violate([], 'type', `must be an object, not ${formatValue(given)}`);
    return {};
  }
  const fault = checkedMembers(Object.entries(given), rules, validation, 'a fault may have');
  if (fault.abort === true) fault.abort = 'before';
  if (fault.abort === false) delete fault.abort;
  if (isJsonObject(fault.headers) && Object.keys(fault.headers).length === 0) delete fault.headers;
  checkTogether(fault, validation);
  return fault;
}

function checkTogether(fault: JsonObject, validation: Validation): void {
  const { status, abort, content } = fault;
  const violate = (name: string, rule: string) => validation.violate(name, 'value', rule);
  if (!EFFECTS.some((name) => Object.hasOwn(fault, name))) {
    validation.violate([], 'required', `must have one of ${EFFECTS.join(', ')}`);
  }
  if (status === undefined) {
    for (const name of ['headers', 'content']) {
      if (name in fault) violate(name, 'must come with a status');
    }
  } else if (ABORTS.some((each) => each === abort && each !== 'truncate')) {
    violate('status', 'must not be combined with abort, unless that is "truncate"');
  } else if (content !== undefined && WITHOUT_CONTENT.includes(status)) {
    violate('content', `must not come with the status ${status}, which has no content`);
  }
}
