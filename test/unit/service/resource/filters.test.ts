import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Fields } from '../../../../src/service/resource/field.ts';
import { ConditionReader } from '../../../../src/service/resource/query/condition-reader.ts';
import { filterDescription, filtersOf } from '../../../../src/service/resource/query/filters.ts';
import { variantB } from '../../../../src/service/todo/variant-b.ts';

/** Fields of every kind, which can be null or not. */
const FIELDS: Fields = {
  ...variantB.fields,
  count: { kind: 'bigint', nullable: true, description: 'A number.' },
  done: { kind: 'boolean', nullable: true, description: 'A state.' },
};

const FILTERS = filtersOf(FIELDS);

function read(name: string, ...texts: readonly string[]) {
  const filter = FILTERS.get(name) ?? assert.fail(name);
  return new ConditionReader(FIELDS, true).filter(filter, texts);
}

describe('the filters of fields', () => {
  it('are named by field and operator, in order', () => {
    assert.deepEqual(
      [...FILTERS.keys()].filter((name) => name.startsWith('done')),
      ['done', 'done.eq', 'done.ne', 'done.in', 'done.notIn', 'done.isNull', 'done.isNotNull'],
    );
  });

  it('take the example that their schema has', () => {
    const ajv = new Ajv2020({ strict: true, validateFormats: false });
    for (const filter of FILTERS.values()) {
      const { name, in: where, schema, example } = filterDescription(filter, true);
      assert.equal(where, 'query');
      assert(ajv.validate(schema, example), `${name}: ${JSON.stringify(example)}`);
      const condition = read(name, String(example));
      const [column, operator = 'eq'] = name.split('.');
      assert(typeof condition === 'object' && 'column' in condition, name);
      assert.deepEqual([condition.op, condition.column], [operator, column]);
    }
  });
});
