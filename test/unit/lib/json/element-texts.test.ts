import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { elementTexts } from '../../../../src/lib/json/element-texts.ts';
import { propertyOptions } from '../../../support/property.ts';

describe('the texts of elements', () => {
  const scalars = fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.constant({ a: ['],"'] })));
  const name = fc.string().filter((text) => text !== '__proto__');

  it('are those of a list, alone or in an object', () => {
    const values = fc.array(fc.jsonValue(), { minLength: 1 });
    fc.assert(
      fc.property(values, name, scalars, fc.nat(2), (list, member, others, space) => {
        for (const value of [list, { ...others, [member]: list }]) {
          const texts = elementTexts(JSON.stringify(value, undefined, space));
          assert.deepEqual(
            texts.map((text) => JSON.parse(text)),
            JSON.parse(JSON.stringify(list)),
          );
        }
      }),
      propertyOptions(200),
    );
  });

  it('are exact, and those of the last list if its name is repeated', () => {
    assert.deepEqual(elementTexts('\n[ 1.50 ,{"a":[2,"]\\\\"]}]'), [' 1.50 ', '{"a":[2,"]\\\\"]}']);
    assert.deepEqual(elementTexts('{"a":[1,2],"b":{"c":[3]},"a":[4.0]}'), ['4.0']);
  });
});
