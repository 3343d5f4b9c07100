import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pathOf, queryOf } from '../../../../../src/lib/http/core/target.ts';

const hasCode = (code: string) => (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === code;

const parsed = (target: string) => queryOf(target, pathOf(target));

describe('the path of a target', () => {
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
    it(`${target} has the path ${path}`, () => {
      assert.equal(pathOf(target), path);
      assert.doesNotThrow(() => parsed(target));
    });
  }

  for (const [target, path] of [
    ['/api/notes/1?x#y', '/api/notes/1'],
    ['/%zz', '/%zz'],
    ['http://user:secret@h/nope?x', '/nope'],
    ['nonsense', ''],
    ['', ''],
  ] as const) {
    it(`is there for error reports: ${target}`, () => assert.equal(pathOf(target), path));
  }
});

describe('the query of a target', () => {
  for (const target of ['', 'api/notes', 'ftp://h/', 'http:///a', 'http:', '/a#b', '/a?b#c', '#']) {
    it(`${JSON.stringify(target)}: malformed`, () =>
      assert.throws(() => parsed(target), hasCode('malformed-request')));
  }

  it('is decoded', () => {
    assert.equal(parsed('/a?x=1&y=%C3%A9').get('y'), 'é');
    assert.equal(parsed('http://h?x=1').get('x'), '1');
    assert.equal(parsed('/a').isEmpty, true);
  });

  it('is not read from more than 8 KiB', () => {
    const longest = `/${'x'.repeat(8 * 1024 - 1)}`;
    assert.equal(pathOf(longest), longest);
    assert.equal(parsed(longest).isEmpty, true);
    assert.throws(() => parsed(`${longest}x`), { code: 'uri-too-long', close: true });
    assert.equal(pathOf(`${longest}x`), longest);
    assert.equal(pathOf(`${longest}x?y`), longest);
  });
});
