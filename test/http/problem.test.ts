import assert from 'node:assert/strict';
import { STATUS_CODES } from 'node:http';
import { describe, it } from 'node:test';
import { PROBLEMS, Problem, type ProblemCode } from '../../src/http/problem.ts';

describe('Problem', () => {
  it('has the members of RFC 9457, a code, and errors where there are some', () => {
    assert.deepEqual(JSON.parse(new Problem('not-found', 'No such item').toJson('/api/todos/1')), {
      type: 'urn:problem-type:todo-service:not-found',
      title: 'Not found',
      status: 404,
      detail: 'No such item',
      instance: '/api/todos/1',
      code: 'not-found',
    });
    const errors = [{ pointer: '#/title', code: 'required', detail: 'must be present' }];
    const problem = new Problem('validation-failed', 'It breaks a rule', { errors });
    assert.deepEqual(JSON.parse(problem.toJson('/')).errors, errors);
  });

  for (const [code, { status, title }] of Object.entries(PROBLEMS)) {
    it(`${code}: a known status of errors, a title that is a sentence's beginning`, () => {
      assert.match(code, /^[a-z]+(?:-[a-z]+)*$/);
      assert(status >= 400 && STATUS_CODES[status] !== undefined);
      assert.match(title, /^[A-Z].*[a-zA-Z]$/);
    });
  }

  it('is an Error that says what is wrong', () => {
    const code: ProblemCode = 'draining';
    assert.equal(String(new Problem(code, 'stopping')), 'Problem: stopping');
  });
});
