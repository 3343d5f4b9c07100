import { fieldsOf, type Handler, type Request } from '../../../lib/http/index.ts';
import type { Fault } from './fault.ts';
import { REQUEST_FIELDS, RESPONSE_FIELDS } from './header-field-rule.ts';
import { WITHOUT_CONTENT, withAbort, withInjectedResponse } from './injected-response.ts';
import { type MemberRule, range, text } from './member-rule.ts';
import { type Condition, type KnownPaths, scopeMembers } from './scope.ts';

const MAX_DELAY_MS = 3_600_000;
const MAX_COUNT = 1_000_000_000;

const ABORTS: readonly unknown[] = ['before', 'reset', 'after', 'truncate'];

/** How many requests have matched a fault before the current one, and how many of them it hit. */
interface FaultCounts {
  readonly matches: number;
  readonly hits: number;
}

/** A member of a fault: its rule, and its part in matching, limits or effects. */
export interface FaultMember<V> extends MemberRule, Partial<Condition<V, Request>> {
  /** Whether the fault hits a request that matches. */
  limits?(value: V, counts: FaultCounts): boolean;
  /** Wraps the handler of a request that is hit. A fault needs at least one effect. */
  effect?(value: V, next: Handler, fault: Fault): Handler;
  /** Returns the rule that this member violates in combination with other members, if any. */
  conflict?(fault: Fault): string | undefined;
}

/** The members of a fault, by name. Their effects apply in this order. */
export type FaultMembers = {
  readonly [K in keyof Fault]-?: FaultMember<NonNullable<Fault[K]>>;
};

/** Creates the members of the faults of a service. @param delay throws to refuse the request */
export function faultMembers(
  paths: KnownPaths,
  delay: (ms: number, request: Request) => Promise<void>,
): FaultMembers {
  const needsStatus = ({ status }: Fault) =>
    status === undefined ? 'must come with a status' : undefined;
  return {
    ...scopeMembers(paths),
    requestHeaders: {
      ...REQUEST_FIELDS,
      matches: (fields, request) =>
        Object.entries(fields).every(([name, value]) => fieldsOf(request, name).includes(value)),
    },
    rate: { ...range('number', 0, 1), limits: (rate) => Math.random() < rate },
    skip: { ...range('integer', 0, MAX_COUNT), limits: (skip, { matches }) => matches >= skip },
    times: { ...range('integer', 1, MAX_COUNT), limits: (times, { hits }) => hits < times },
    delayMs: {
      ...range('number', 0, MAX_DELAY_MS),
      effect: (ms, next) => async (request) => {
        await delay(ms, request);
        return next(request);
      },
    },
    abort: {
      schema: { type: 'string', enum: ABORTS },
      allowed: '"before", "reset", "after" or "truncate"',
      accepts: (value) => ABORTS.includes(value),
      effect: withAbort,
    },
    status: {
      ...range('integer', 200, 599),
      effect: (status, _next, fault) => withInjectedResponse(status, fault),
      conflict: ({ abort }) =>
        abort !== 'truncate' && ABORTS.includes(abort)
          ? 'must not be combined with abort, unless that is "truncate"'
          : undefined,
    },
    headers: { ...RESPONSE_FIELDS, conflict: needsStatus },
    content: {
      ...text('a text of well-formed Unicode'),
      conflict: (fault) =>
        WITHOUT_CONTENT.includes(fault.status)
          ? `must not come with the status ${fault.status}, which has no content`
          : needsStatus(fault),
    },
  };
}
