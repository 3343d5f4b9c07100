import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { repeatedMember } from '../../../../src/lib/json/repeated-member.ts';

describe('the first repeated member of a JSON text', () => {
  for (const [text, path] of [
    ['{"a":1,"b":[{"c":1,"\\u0063":2}],"a":3}', ['b', 0, 'c']],
    ['{"a":1,"a":{"b":1,"b":1}}', ['a']],
    ['[[1],[2,{"x":{"y":0}},{"__proto__":1,"__proto__":2}]]', [1, 2, '__proto__']],
    ['{"a":"a\\":","\\"":"\\\\","\\"":0}', ['"']],
    ['{"a":{"a":[{"a":1},{"a":1}]},"b":"{\\"a\\":1,\\"a\\":1}"}', undefined],
    ['[]', undefined],
    ['"a"', undefined],
  ] as const) {
    it(`${text}: ${path?.join('/')}`, () => assert.deepEqual(repeatedMember(text), path));
  }
});
