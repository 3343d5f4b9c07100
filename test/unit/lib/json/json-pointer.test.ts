import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { jsonPointer } from '../../../../src/lib/json/json-pointer.ts';

describe('a JSON pointer as a URI fragment', () => {
  for (const [names, pointer] of [
    [[], '#'],
    [['title'], '#/title'],
    [['faults', 0, 'rate'], '#/faults/0/rate'],
    [['a/b', 'm~n', '~1'], '#/a~1b/m~0n/~01'],
    [['', ' ', 'é%'], '#//%20/%C3%A9%25'],
    [['\ud800'], '#/%EF%BF%BD'],
    [['$ref'], '#/$ref'],
  ] as const) {
    it(`${JSON.stringify(names)}: ${pointer}`, () => assert.equal(jsonPointer(...names), pointer));
  }
});
