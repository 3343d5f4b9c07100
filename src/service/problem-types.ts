import { PROBLEMS, Problem, type ProblemOptions, type ProblemType } from '../lib/http/index.ts';

/** The prefix of the `type` of each problem (api.md: "Errors"). */
export const PROBLEM_TYPE_PREFIX = 'urn:problem-type:todo-service:';

/** The statuses of the service's own problems, by code. An injected fault sets its own status. */
export const SERVICE_PROBLEMS = {
  'invalid-id': 400,
  'invalid-name': 400,
  'condition-required': 400,
  unauthorized: 401,
  'not-found': 404,
  'list-required': 404,
  'seed-unusable': 409,
  'not-supported': 409,
  'store-unavailable': 503,
  'outcome-unknown': 503,
  'injected-fault': undefined,
  'store-full': 507,
  'ids-exhausted': 507,
} as const;

/** The code of one of the service's own problems. */
export type ServiceProblemCode = keyof typeof SERVICE_PROBLEMS;

/** Creates one of the service's own problems. Its title is its code in words. */
export function serviceProblem(
  code: ServiceProblemCode,
  detail: string,
  options?: ProblemOptions,
): Problem {
  return new Problem(problemType(code, SERVICE_PROBLEMS[code]), detail, options);
}

function problemType(code: string, status: number | undefined): ProblemType {
  const title = code.charAt(0).toUpperCase() + code.slice(1).replaceAll('-', ' ');
  return { code, title, ...(status && { status }) };
}

/** The types of all problems (api.md: "Codes"), those of the service itself first. */
export function allProblemTypes(): readonly ProblemType[] {
  const general = Object.entries(PROBLEMS).map(([code, type]) => ({ code, ...type }));
  const own = Object.entries(SERVICE_PROBLEMS).map(([code, status]) => problemType(code, status));
  return [...own, ...general];
}
