import type { ProblemType } from '../../lib/http/index.ts';

// What is special to items (api.md: "Codes"); a QUERY gets 422 (RFC 10008).
export const INVALID_ID = problemType('invalid-id', 400, 'Invalid id');
export const NOT_FOUND = problemType('not-found', 404, 'Not found');
export const UNPROCESSABLE_QUERY = problemType('unprocessable-query', 422, 'Unprocessable query');
export const CONDITION_REQUIRED = problemType('condition-required', 400, 'Condition required');
export const CLOCK_OUT_OF_RANGE = problemType('clock-out-of-range', 507, 'Clock out of range');

function problemType(code: string, status: number, title: string): ProblemType {
  return { code, status, title };
}
