import type { ProblemType } from '../lib/http/index.ts';

/** The prefix of the `type` of each problem (api.md: "Errors"). */
export const PROBLEM_TYPES = 'urn:problem-type:todo-service:';

/** Creates a {@link ProblemType} whose title is its code in words. */
export function problemType(
  code: string,
  status?: number,
  fields?: ProblemType['fields'],
): ProblemType {
  const title = code.charAt(0).toUpperCase() + code.slice(1).replaceAll('-', ' ');
  return { code, title, ...(status && { status }), ...(fields && { fields }) };
}
