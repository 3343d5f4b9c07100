import { PROBLEMS, Problem, type ProblemOptions } from '../lib/http/index.ts';

/** The prefix of the `type` of each problem (api.md: "Errors"). */
export const PROBLEM_TYPES = 'urn:problem-type:todo-service:';

/** The statuses of the service's own problems, by code. An injected fault sets its own status. */
export const SERVICE_PROBLEMS = {
  'invalid-id': 400,
  'invalid-name': 400,
  'condition-required': 400,
  unauthorized: 401,
  'not-found': 404,
  'seed-unusable': 409,
  'not-supported': 409,
  'store-unavailable': 503,
  'outcome-unknown': 503,
  'injected-fault': undefined,
  'store-full': 507,
  'ids-exhausted': 507,
} as const;

/** The codes of all problems (api.md: "Codes"). */
export const PROBLEM_CODES = [...Object.keys(PROBLEMS), ...Object.keys(SERVICE_PROBLEMS)];

/** The code of one of the service's own problems. */
export type ServiceProblemCode = keyof typeof SERVICE_PROBLEMS;

/** Creates one of the service's own problems. Its title is its code in words. */
export function serviceProblem(
  code: ServiceProblemCode,
  detail: string,
  options?: ProblemOptions,
): Problem {
  const title = code.charAt(0).toUpperCase() + code.slice(1).replaceAll('-', ' ');
  const status = SERVICE_PROBLEMS[code];
  return new Problem({ code, title, ...(status && { status }) }, detail, options);
}
