import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseTarget, pathOf } from '../../../src/http/core/target.ts';

const hasCode = (code: string) => (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === code;

describe('parseTarget', () => {
  for (const [target, path] of [
    ['/', '/'],
    ['/api/notes', '/api/notes'],
    ['/api/notes?', '/api/notes'],
    ['/a?b?c', '/a'],
    ['//evil/x', '//evil/x'],
    ['/%2e%2E/.', '/%2e%2E/.'],
    ['*', '*'],
    ['http://h', '/'],
    ['http://h?x', '/'],
    ['http://h/a/b?c', '/a/b'],
    ['HTTPS://u@h:1/a', '/a'],
    ['http://h//a', '//a'],
  ] as const) {
    it(`${target}: the path is ${path}`, () => assert.equal(parseTarget(target).path, path));
  }

  for (const target of ['', 'api/notes', 'ftp://h/', 'http:///a', 'http:', '/a#b', '#']) {
    it(`${JSON.stringify(target)}: malformed`, () =>
      assert.throws(() => parseTarget(target), hasCode('malformed-request')));
  }

  it('decodes the query', () => {
    assert.equal(parseTarget('/a?x=1&y=%C3%A9').query.get('y'), 'é');
    assert.equal(parseTarget('/a').query.isEmpty, true);
  });

  it('takes 8 KiB, and no more', () => {
    const longest = `/${'x'.repeat(8 * 1024 - 1)}`;
    assert.equal(parseTarget(longest).path, longest);
    assert.throws(() => parseTarget(`${longest}x`), { code: 'uri-too-long', close: true });
  });
});

describe('pathOf', () => {
  for (const [target, path] of [
    ['/api/notes/1?x#y', '/api/notes/1'],
    ['/%zz', '/%zz'],
    ['*', '*'],
    ['http://user:secret@h/nope?x', '/nope'],
    ['http://h', '/'],
    ['nonsense', ''],
    ['', ''],
  ] as const) {
    it(`${target}: ${path}`, () => assert.equal(pathOf(target), path));
  }
});
