import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { preference } from '../../../../src/lib/http/request/field-values.ts';

describe('a preference', () => {
  for (const [prefer, value] of [
    ['handling=strict', 'strict'],
    ['Handling = Strict', 'strict'],
    ['handling="Strict"; foo="x,y"', 'strict'],
    ['wait=1, handling=strict, handling=lenient', 'strict'],
    [['wait=1', 'handling=lenient'], 'lenient'],
    ['handling', ''],
    ['handling=', ''],
    ['handling; strict', ''],
    ['handling="strict', '"strict'],
    ['x;handling=strict', undefined],
    ['x="handling=strict"', undefined],
    ['', undefined],
  ] as const) {
    it(`of Prefer: ${prefer} is ${value}`, () => {
      assert.equal(preference(prefer, 'handling'), value);
    });
  }
});
