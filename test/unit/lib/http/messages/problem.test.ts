import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Problem, type ProblemCode } from '../../../../../src/lib/http/messages/problem.ts';

describe('Problem', () => {
  it('has the members of RFC 9457, a code, and errors if any', () => {
    const { content } = new Problem('unknown-path', 'No such item').toResponse('/api/notes/1');
    assert.deepEqual(JSON.parse(String(content)), {
      type: 'urn:problem-type:unknown-path',
      title: 'Unknown path',
      status: 404,
      detail: 'No such item',
      instance: '/api/notes/1',
      code: 'unknown-path',
    });
    const errors = [{ pointer: '#/title', code: 'required', detail: 'must be present' }] as const;
    const problem = new Problem('validation-failed', 'It breaks a rule', { errors });
    assert.deepEqual(JSON.parse(String(problem.toResponse('/').content)).errors, errors);
  });

  for (const [path, instance] of [
    ['/api/notes/1', '/api/notes/1'],
    ['/api/notes/%C3%A9', '/api/notes/%C3%A9'],
    ['/api/notes/%zz', '/api/notes/%25zz'],
    ['/%', '/%25'],
    ['/\\"<>`{|}^\xe9', '/%5C%22%3C%3E%60%7B%7C%7D%5E%E9'],
    ['//evil/api/notes', '/.//evil/api/notes'],
    ['*', '*'],
  ] as const) {
    it(`names the path ${path} as a URI reference: ${instance}`, () => {
      const { content } = new Problem('unknown-path', 'None').toResponse(path);
      const problem = JSON.parse(String(content));
      assert.equal(problem.instance, instance);
      assert.equal(new URL(problem.instance, 'http://h').host, 'h');
    });
  }

  it('identifies the occurrence if no path is known', () => {
    const { content } = new Problem('malformed-request', 'None').toResponse('');
    assert.match(JSON.parse(String(content)).instance, /^urn:uuid:[0-9a-f-]{36}$/);
  });

  it('is an Error with the detail as its message', () => {
    const code: ProblemCode = 'draining';
    assert.equal(String(new Problem(code, 'stopping')), 'Problem: stopping');
  });
});
