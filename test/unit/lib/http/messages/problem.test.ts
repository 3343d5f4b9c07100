import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { overloaded, Problem } from '../../../../../src/lib/http/messages/problem.ts';

describe('Problem', () => {
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
});

it('a problem has no stack, which takes long to make, and later errors have theirs', () => {
  assert.doesNotMatch(String(overloaded('a-test', 'Too many').stack), /\n +at /);
  assert.match(String(new Error('a bug').stack), /\n +at /);
});
