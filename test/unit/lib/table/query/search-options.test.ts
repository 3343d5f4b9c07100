import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkOptions, type Order } from '../../../../../src/lib/table/query/search-options.ts';
import { resolveSchema } from '../../../../../src/lib/table/schema/resolved-schema.ts';

const layout = resolveSchema({
  id: { kind: 'integer', identity: { from: 1, to: 9 } },
  title: { kind: 'text' },
  size: { kind: 'integer' },
});

describe('an order', () => {
  const columnsOf = (...orderBy: Order[]) =>
    checkOptions(layout, { orderBy }).orderBy.map(
      ({ column, direction }) => `${column} ${direction}`,
    );
  const [id, title, size] = [{ column: 'id' }, { column: 'title' }, { column: 'size' }];

  test('uses the first occurrence of each column', () => {
    assert.deepEqual(columnsOf(title, size, { ...title, direction: 'desc' }), [
      'title asc',
      'size asc',
    ]);
    const many = Array.from({ length: 680 }, (_, i) => (i % 2 ? size : title));
    assert.deepEqual(columnsOf(...many), ['title asc', 'size asc']);
  });

  test('ends with the id, which is omitted if ascending', () => {
    assert.deepEqual(columnsOf(title, { ...id, direction: 'desc' }, size), [
      'title asc',
      'id desc',
    ]);
    assert.deepEqual(columnsOf(title, id, size), ['title asc']);
    assert.deepEqual(columnsOf(id), []);
  });

  test('is checked completely', () => {
    assert.throws(() => columnsOf(id, { column: 'nothing' }), { name: 'ConditionError' });
    assert.throws(() => columnsOf({ ...size, ignoreCase: true }), {
      message: 'column "size" is integer: only text has a case to ignore',
    });
    assert.throws(() => columnsOf({ ...title, ignoreCase: 1 as never }), {
      message: '"ignoreCase" must be true or false',
    });
    for (const name of ['limit', 'offset']) {
      for (const count of [-1, 0.5, Number.NaN]) {
        const message = `"${name}" must be an integer, zero or more`;
        assert.throws(() => checkOptions(layout, { [name]: count }), { message });
      }
    }
  });
});
