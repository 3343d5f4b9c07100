import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { splitList } from '../../../../../src/lib/http/request/field-values.ts';

describe('splitList', () => {
  for (const [value, elements] of [
    ['', []],
    [' ,\t, ', []],
    ['a', ['a']],
    [' a,,b ;c=d\t,', ['a', 'b ;c=d']],
    ['a="x,y",b', ['a="x,y"', 'b']],
    ['"x\\",y",b', ['"x\\",y"', 'b']],
    ['"x\\\\",b', ['"x\\\\"', 'b']],
    ['a\\",b', ['a\\",b']],
    ['a\\,b', ['a\\', 'b']],
    ['a,"b,c', ['a', '"b,c']],
    ['a,"b\\', ['a', '"b\\']],
  ] as const) {
    it(`${value}: ${elements.length} elements`, () => assert.deepEqual(splitList(value), elements));
  }
});
