import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Problem } from '../../../../../src/lib/http/messages/problem.ts';
import { Query } from '../../../../../src/lib/http/messages/target.ts';

describe('Query', () => {
  for (const [text, parameters] of [
    ['a=b', [['a', 'b']]],
    ['a', [['a', '']]],
    ['a=', [['a', '']]],
    ['a=b=c', [['a', 'b=c']]],
    ['&&a=b&', [['a', 'b']]],
    // In the order in which they were sent.
    [
      'b=1&a=2&b=3',
      [
        ['b', '1'],
        ['a', '2'],
        ['b', '3'],
      ],
    ],
    ['%61=b', [['a', 'b']]],
    ['a=+%20%2B', [['a', '  +']]],
    ['a=%E2%82%AC%f0%9f%98%80', [['a', '€😀']]],
    ['a=%00', [['a', '\0']]],
    ['__proto__=b', [['__proto__', 'b']]],
    ['', []],
  ] as const) {
    it(`${JSON.stringify(text)} is ${JSON.stringify(parameters)}`, () =>
      assert.deepEqual(new Query(text).parameters, parameters));
  }

  for (const text of ['%', 'a=%', 'a=%4', 'a=%zz', 'b=%ff', '%c0%80=', 'a=%ed%a0%80', 'a=é']) {
    it(`${JSON.stringify(text)}: malformed`, () =>
      assert.throws(
        () => new Query(text),
        (error) => error instanceof Problem && error.code === 'malformed-query',
      ));
  }
});
