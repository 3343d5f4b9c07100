import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Table } from '../../../../src/lib/table/table.ts';
import { idsOf } from '../support/rows.ts';

test('rows without a value are in order of their ids, first or last, whichever are deleted', () => {
  const table = new Table({
    id: { kind: 'integer', identity: { from: 1, to: 99 } },
    rank: { kind: 'integer', nullable: true, index: 'ordered' },
  });
  for (let i = 1; i <= 6; i++) table.insert({ rank: i === 3 ? 0 : null });
  for (const deleted of [3, 6, 1, 4]) {
    table.delete(deleted);
    for (const nulls of ['first', 'last'] as const) {
      const found = table.search([], { orderBy: [{ column: 'rank', nulls }] });
      assert.deepEqual(idsOf(found), idsOf(table.search()), `without ${deleted}, nulls ${nulls}`);
    }
  }
});

test('the only row without a value gets one', () => {
  const table = new Table({
    id: { kind: 'integer', identity: { from: 1, to: 99 } },
    rank: { kind: 'integer', nullable: true, index: 'ordered' },
  });
  for (const rank of [3, null, 2]) table.insert({ rank });
  table.update(2, { rank: 1 });
  for (const nulls of ['first', 'last'] as const) {
    assert.deepEqual(idsOf(table.search([], { orderBy: [{ column: 'rank', nulls }] })), [2, 3, 1]);
  }
});
