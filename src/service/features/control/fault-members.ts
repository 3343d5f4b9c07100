import { METHODS } from 'node:http';
import { fieldsOf, isPreflight, Problem, type Request } from '../../../lib/http/index.ts';
import { isJsonObject, type JsonObject, type NumberSources } from '../../../lib/json/index.ts';
import { formatValue } from '../../../lib/printable.ts';
import {
  checkedList,
  checkedMembers,
  type MemberRule,
  range,
  text,
} from '../../resource/member-rule.ts';
import { Validation } from '../../resource/validation.ts';
import type { Fault } from './fault.ts';
import { REQUEST_FIELDS, RESPONSE_FIELDS } from './header-field-rule.ts';
import { WITHOUT_CONTENT } from './injected-response.ts';
import { isBelow, type KnownPaths, pathRules } from './known-paths.ts';

const MAX_DELAY_MS = 3_600_000;
const MAX_COUNT = 1_000_000_000;

/** The maximum number of faults. Each request is compared with all of them. */
export const MAX_FAULTS = 100;

const ABORTS = ['before', 'reset', 'after', 'truncate'];

/**
 * A member of a fault:
 * - `match`: a condition that a request must meet
 * - `limit`: how often the fault hits the requests that match
 * - `effect`: a fault has at least one
 * - `response`: part of an injected response, which needs a `status`
 */
export type FaultMember = MemberRule &
  (
    | { readonly role: 'match'; readonly matches: (fault: Fault, request: Request) => boolean }
    | { readonly role: 'limit' | 'effect' | 'response' }
  );

/** The members of a fault, by name. */
export type FaultMembers = Readonly<Record<keyof Fault, FaultMember>>;

/** Creates the members of the faults of a service. */
export function faultMembers(paths: KnownPaths): FaultMembers {
  const { path, route } = pathRules(paths);
  return {
    method: {
      ...text('a known method in capital letters', /^[A-Z-]+$/),
      accepts: (value) => value !== 'CONNECT' && METHODS.some((method) => method === value),
      role: 'match',
      matches: ({ method }, request) =>
        method === undefined ? !isPreflight(request) : method === request.method,
    },
    path: {
      ...path,
      role: 'match',
      matches: ({ path }, request) => path === undefined || isBelow(path, request),
    },
    route: {
      ...route,
      role: 'match',
      matches: ({ route }, request) => route === undefined || route === request.template,
    },
    requestHeaders: {
      ...REQUEST_FIELDS,
      role: 'match',
      matches: ({ requestHeaders = {} }, request) =>
        Object.entries(requestHeaders).every(([name, value]) =>
          fieldsOf(request, name).includes(value),
        ),
    },
    rate: { ...range('number', 0, 1), role: 'limit' },
    skip: { ...range('integer', 0, MAX_COUNT), role: 'limit' },
    times: { ...range('integer', 1, MAX_COUNT), role: 'limit' },
    delayMs: { ...range('number', 0, MAX_DELAY_MS), role: 'effect' },
    status: { ...range('integer', 200, 599), role: 'effect' },
    headers: { ...RESPONSE_FIELDS, role: 'response' },
    content: { ...text('a text of well-formed Unicode'), role: 'response' },
    abort: {
      schema: { type: 'string', enum: ABORTS },
      allowed: '"before", "reset", "after" or "truncate"',
      accepts: (value) => ABORTS.some((each) => each === value),
      role: 'effect',
    },
  };
}

/** The names of the members that have one of some roles. */
export function namesOf(members: FaultMembers, ...roles: readonly FaultMember['role'][]) {
  return Object.entries(members).flatMap(([name, { role }]) => (roles.includes(role) ? name : []));
}

/** Whether a request meets all conditions of a fault. */
export function matchesFault(members: FaultMembers, fault: Fault, request: Request): boolean {
  return Object.values(members).every(
    (member) => member.role !== 'match' || member.matches(fault, request),
  );
}

/** Checks an object with a list of faults. @returns a copy @throws Problem with all violations */
export function checkedFaultList(
  { faults, ...others }: JsonObject,
  members: FaultMembers,
  sources?: NumberSources,
): readonly Fault[] {
  const validation = new Validation(sources);
  const ofList = validation.at('faults');
  const checked = checkedList(faults, MAX_FAULTS, ofList).map((fault, i) =>
    checkedFault(fault, members, ofList.at(i)),
  );
  checkOrder(checked, members, ofList);
  for (const name of Object.keys(others)) {
    validation.violate(name, 'unknown', 'is unknown; use faults');
  }
  const [first] = validation.violations;
  if (first === undefined) return checked;
  const detail = `The faults violate rules: ${first.pointer} ${first.detail}`;
  throw new Problem('validation-failed', detail, { errors: validation.violations });
}

function checkedFault(given: unknown, members: FaultMembers, validation: Validation): Fault {
  if (!isJsonObject(given)) {
    validation.violate([], 'type', `must be an object, not ${formatValue(given)}`);
    return {};
  }
  const fault = checkedMembers(Object.entries(given), members, validation, 'a fault may have');
  for (const name in fault) if (isEmptyObject(fault[name])) delete fault[name];
  const has = (name: string) => Object.hasOwn(fault, name);
  const effects = namesOf(members, 'effect');
  if (!effects.some(has)) {
    validation.violate([], 'required', `must have one of ${effects.join(', ')}`);
  }
  const { status, abort, content }: Fault = fault;
  const violate = (name: keyof Fault, rule: string) => validation.violate(name, 'value', rule);
  if (status === undefined) {
    for (const name of namesOf(members, 'response').filter(has)) {
      validation.violate(name, 'value', 'must come with a status');
    }
  } else if (abort !== undefined && abort !== 'truncate' && ABORTS.includes(abort)) {
    violate('status', 'must not be combined with abort, unless that is "truncate"');
  } else if (content !== undefined && WITHOUT_CONTENT.includes(status)) {
    violate('content', `must not come with the status ${status}, which has no content`);
  }
  return fault;
}

/** Refuses faults that no request can reach, because one before them hits every request. */
function checkOrder(faults: readonly Fault[], members: FaultMembers, validation: Validation): void {
  const effects = namesOf(members, 'effect', 'response');
  const all = faults.findIndex((fault) => {
    const names = Object.keys(fault);
    return names.length > 0 && names.every((name) => effects.includes(name));
  });
  for (let index = all + 1; all >= 0 && index < faults.length; index++) {
    validation.violate(
      [index],
      'value',
      `can never hit, because the fault at index ${all} hits every request; put that one last`,
    );
  }
}

function isEmptyObject(value: unknown): boolean {
  return isJsonObject(value) && Object.keys(value).length === 0;
}
