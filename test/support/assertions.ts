import assert from 'node:assert/strict';
import type { Answer, ProblemBody } from './requests.ts';

/** The violations in a response, each as its pointer and code: `#/title required`. */
export function violationsIn(answer: Answer): string[] {
  const { errors = [] } = assertProblem(answer, 400, 'validation-failed');
  return errors.map(({ pointer, code }) => `${pointer} ${code}`);
}

/** The refused parameters in a response, each as its name and code: `limit repeated`. */
export function refusedIn(answer: Answer): string[] {
  const { errors = [], detail } = assertProblem(answer, 400, 'invalid-parameter');
  assert.equal(errors[0]?.detail, detail);
  return errors.map(({ parameter, code }) => `${parameter} ${code}`);
}

/** A word unique to this test and run. */
export function uniqueWord(): string {
  return `w${crypto.randomUUID().replaceAll('-', '')}`;
}

/**
 * Asserts that a response is a problem (RFC 9457) with this status and code, and returns its
 * content.
 */
export function assertProblem(
  answer: { status: number; headers: Readonly<Record<string, unknown>>; text: string },
  status: number,
  code: string,
): ProblemBody {
  assert.equal(answer.status, status, answer.text);
  assert.equal(answer.headers['content-type'], 'application/problem+json');
  const problem: ProblemBody = JSON.parse(answer.text);
  assert.equal(problem.code, code);
  assert.equal(problem.status, status);
  assert.equal(problem.type, `urn:problem-type:todo-service:${code}`);
  for (const member of ['title', 'detail', 'instance'] as const) {
    assert.equal(typeof problem[member], 'string', member);
    assert.notEqual(problem[member], '', member);
  }
  return problem;
}
