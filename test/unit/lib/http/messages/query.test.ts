import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Problem } from '../../../../../src/lib/http/messages/problem.ts';
import { Query } from '../../../../../src/lib/http/messages/target.ts';

describe('Query', () => {
  for (const [text, value] of [
    ['a=b', 'b'],
    ['a', ''],
    ['a=', ''],
    ['a=b=c', 'b=c'],
    ['&&a=b&', 'b'],
    ['a=1&a=2', '1'],
    ['%61=b', 'b'],
    ['a=+%20%2B', '  +'],
    ['a=%E2%82%AC%f0%9f%98%80', '€😀'],
    ['a=%00', '\0'],
    ['b=a', undefined],
    ['', undefined],
  ] as const) {
    it(`${JSON.stringify(text)}: a is ${JSON.stringify(value)}`, () =>
      assert.equal(new Query(text).get('a'), value));
  }

  for (const text of ['%', 'a=%', 'a=%4', 'a=%zz', 'b=%ff', '%c0%80=', 'a=%ed%a0%80', 'a=é']) {
    it(`${JSON.stringify(text)}: malformed`, () =>
      assert.throws(
        () => new Query(text),
        (error) => error instanceof Problem && error.code === 'malformed-query',
      ));
  }

  it('has all parameters in the order they were sent', () => {
    assert.deepEqual(new Query('b=1&a=2&b=3').parameters, [
      ['b', '1'],
      ['a', '2'],
      ['b', '3'],
    ]);
  });

  it('treats names of Object.prototype like any other', () => {
    assert.equal(new Query('a=b').get('constructor'), undefined);
    assert.equal(new Query('__proto__=b').get('__proto__'), 'b');
  });
});
