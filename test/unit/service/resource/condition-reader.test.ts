import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ConditionReader } from '../../../../src/service/resource/query/condition-reader.ts';
import { filtersOf } from '../../../../src/service/resource/query/filters.ts';
import { Validation } from '../../../../src/service/resource/validation.ts';
import { variantB } from '../../../../src/service/todo/variant-b.ts';

const { fields } = variantB;

function reader() {
  const validation = new Validation();
  return { validation, conditions: new ConditionReader(fields, validation, true) };
}

describe('the reader of conditions', () => {
  it('reports all violations with their places', () => {
    const { validation, conditions } = reader();
    const wrong = { or: [{ priority: 'x', completed: null }, { titel: 1 }], title: { near: 'x' } };
    conditions.where(JSON.stringify(wrong));
    assert.deepEqual(
      validation.violations.map(({ pointer }) => pointer),
      [
        '#/where/or/0/priority',
        '#/where/or/0/completed',
        '#/where/or/1/titel',
        '#/where/title/near',
      ],
    );
  });

  it('suggests fields and operators', () => {
    for (const [where, detail] of [
      ['{"titel":1}', /did you mean title\?$/],
      ['{"createdat":"2026"}', /did you mean createdAt\?$/],
      ['{"title":{"startswith":"x"}}', /did you mean startsWith\?$/],
      ['{"title":{"like":"x"}}', /did you mean contains, startsWith or endsWith\?$/],
      ['{"colour":1}', /must be one of id, title, .*, and, or, not$/],
    ] as const) {
      const { validation, conditions } = reader();
      conditions.where(where);
      assert.match(validation.firstSentence ?? '', detail);
    }
  });

  it('counts the comparisons of filters and of every where', () => {
    const { validation, conditions } = reader();
    const id = filtersOf(fields).get('id') ?? assert.fail();
    const some = (count: number) => `[${Array(count).fill('{"id":1}').join()}]`;
    conditions.where(`{"or":${some(250)}}`);
    conditions.where(`{"or":${some(249)}}`);
    conditions.filter(id, ['1']);
    assert.equal(validation.firstSentence, undefined);
    conditions.filter(id, ['1']);
    conditions.filter(id, ['1']);
    assert.deepEqual(
      validation.violations.map(({ pointer }) => pointer),
      ['#/id'],
    );
  });
});
