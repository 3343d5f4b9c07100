import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Query } from '../../../src/lib/http/core/target.ts';
import type { Fields } from '../../../src/service/resource/field.ts';
import { Filters } from '../../../src/service/resource/query/filters.ts';
import { throwInvalid } from '../../../src/service/resource/validation.ts';
import { variantB } from '../../../src/service/todo/variant-b.ts';

/** Fields of every kind, which can be null or not. */
const FIELDS: Fields = {
  ...variantB.fields,
  count: { kind: 'bigint', nullable: true, description: 'A number.' },
  done: { kind: 'boolean', nullable: true, description: 'A state.' },
};

const FILTERS = new Filters(FIELDS, ['sort', 'limit']);
const conditionsOf = (query: string) =>
  FILTERS.conditionsOf(new Query(query), throwInvalid, () => {});

describe('the filters of fields', () => {
  it('are described by their names, in order', () => {
    const names = FILTERS.descriptions().map(({ name }) => name);
    assert.deepEqual(FILTERS.names, ['sort', 'limit', ...names]);
    assert.deepEqual(
      names.filter((name) => name.startsWith('done')),
      ['done', 'done.eq', 'done.ne', 'done.in', 'done.notIn', 'done.isNull', 'done.isNotNull'],
    );
  });

  it('take the example that their schema has', () => {
    const ajv = new Ajv2020({ strict: true, validateFormats: false });
    for (const { name, in: where, schema, example } of FILTERS.descriptions()) {
      assert.equal(where, 'query');
      assert(ajv.validate(schema, example), `${name}: ${JSON.stringify(example)}`);
      const [condition, ...others] = conditionsOf(`${name}=${encodeURIComponent(`${example}`)}`);
      const [column, operator = 'eq'] = name.split('.');
      assert.deepEqual(others, []);
      assert(condition !== undefined && 'column' in condition);
      assert.deepEqual([condition.op, condition.column], [operator, column]);
    }
  });

  it('all hold at once; those that take lists come last, one for all their values', () => {
    assert.deepEqual(conditionsOf('id.in=1,2&priority.gt=1&x=y&id.in=3&title.in=a,b&id.notIn=4'), [
      { op: 'gt', column: 'priority', value: 1 },
      { op: 'in', column: 'id', values: [1n, 2n, 3n] },
      { op: 'in', column: 'title', values: ['a,b'] },
      { op: 'notIn', column: 'id', values: [4n] },
    ]);
  });

  it('are not those of what every object has', () => {
    assert.deepEqual(conditionsOf('constructor=x&__proto__.eq=x&toString.gt=x'), []);
  });

  it('can ask for null and for what is not null, each way', () => {
    for (const op of ['isNull', 'isNotNull'] as const) {
      const condition = { op, column: 'count' };
      assert.deepEqual(conditionsOf(`count.${op}=true`), [condition]);
      assert.deepEqual(conditionsOf(`count.${op}=false`), [{ op: 'not', condition }]);
    }
  });

  it('say what is allowed', () => {
    for (const [query, message] of [
      ['done.gt=true', /^"done.gt" is not a filter; the operators of done are eq, .*NotNull$/],
      ['priority.in[]=1', /^"priority.in\[\]" is not a filter; .*; did you mean priority.in\?$/],
      ['title.StartsWith=x', / of title are eq, .*, like; did you mean title.startsWith\?$/],
      ['count.isNull=x', /^count.isNull must be true or false, not "x"$/],
      ['title.like=\\', /^title.like must be a pattern that does not end in a lone backslash/],
      ['priority.in=1,x', /^priority.in must be a decimal 32-bit integer .*, not "x"$/],
    ] as const) {
      assert.throws(() => conditionsOf(query), { code: 'invalid-parameter', message });
    }
  });
});
