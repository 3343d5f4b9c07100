import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ConditionReader } from '../../../../src/service/resource/query/condition-reader.ts';
import { variantB } from '../../../../src/service/todo/variant-b.ts';

const { fields } = variantB;

const reader = () => new ConditionReader(fields, true);

describe('the reader of conditions', () => {
  it('suggests fields and operators', () => {
    for (const [where, message] of [
      ['{"titel":1}', /did you mean title\?$/],
      ['{"createdat":"2026"}', /did you mean createdAt\?$/],
      ['{"title":{"startswith":"x"}}', /did you mean startsWith\?$/],
      ['{"title":{"like":"x"}}', /did you mean contains, startsWith or endsWith\?$/],
      ['{"completed":{"like":"x"}}', /must be one of eq, ne, in, notIn$/],
      ['{"colour":1}', /must be one of id, title, .*, and, or, not$/],
    ] as const) {
      assert.throws(() => reader().where(where), { code: 'invalid-parameter', message });
    }
  });
});
