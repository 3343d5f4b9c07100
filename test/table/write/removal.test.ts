import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { and, type Condition, or } from '../../../src/table/condition/condition.ts';
import { BLOCK_SIZE } from '../../../src/table/indexes/slot-blocks.ts';
import { operatorsFor } from '../../../src/table/schema/casts.ts';
import type { Schema } from '../../../src/table/schema/column.ts';
import { layoutOf } from '../../../src/table/schema/layout.ts';
import { Table } from '../../../src/table/table.ts';

const ROWS = 3_000;
const PENDING = 100;

const schema = {
  id: { kind: 'integer', identity: { from: 1, to: 2 ** 31 - 1 } },
  title: { kind: 'text', index: 'substring' },
  done: { kind: 'boolean', index: 'bitmap' },
  priority: { kind: 'integer', index: 'ordered' },
  note: { kind: 'text' },
} as const satisfies Schema;

/** A table whose rows are partly indexed and partly pending. */
function filled(): Table<typeof schema> {
  const tasks: (() => void)[] = [];
  const table = new Table(schema, { schedule: (task) => tasks.push(task) });
  const insert = (i: number) =>
    table.insert({
      title: i % 5 === 0 ? `rare Ä ${i}` : `usual ${i}`,
      done: i % 2 === 0,
      priority: i % 5,
      note: i % 7 === 0 ? 'note' : '',
    });
  for (let i = 0; i < ROWS - PENDING; i++) insert(i);
  for (let task = tasks.shift(); task; task = tasks.shift()) task();
  for (let i = ROWS - PENDING; i < ROWS; i++) insert(i);
  return table;
}

const columns = operatorsFor<typeof schema>(layoutOf(schema));

/** Conditions for each way to find rows; each matches more rows than fit into a batch. */
const CONDITIONS: Record<string, Condition> = {
  'primary key': columns.id.gt(700),
  'ordered index': columns.priority.eq(1),
  'bitmap index': columns.done.eq(true),
  'substring index': columns.title.contains('rare'),
  union: or(columns.title.contains('rare'), columns.priority.eq(1)),
  'full scan': and(columns.note.eq(''), columns.priority.ne(4)),
};

describe('removing many rows while they are being found', () => {
  for (const [path, condition] of Object.entries(CONDITIONS)) {
    test(`removes those that match, and no others: ${path}`, () => {
      const table = filled();
      const expected = table.search().map(({ id }) => id);
      const matching = new Set(table.search([condition]).map(({ id }) => id));
      assert(matching.size > BLOCK_SIZE);
      assert.equal(table.explain([condition]).access, path);
      const snapshot = table.snapshot();
      assert.equal(table.remove([condition]), matching.size);
      assert.deepEqual(
        table.search().map(({ id }) => id),
        expected.filter((id) => !matching.has(id)),
      );
      assert.equal(snapshot.search([condition]).length, matching.size);
      assert.equal(table.search([condition]).length, 0);
    });
  }

  test('leaves the same memory as deleting them one by one', () => {
    for (const condition of [columns.done.eq(true), columns.id.gt(ROWS / 2)]) {
      const [table, other] = [filled(), filled()];
      // Rows in segments whose text has changed are pending too.
      for (const each of [table, other]) {
        for (let id = 1; id <= ROWS; id += 10) each.update(id, { title: 'a changed text' });
      }
      table.remove([condition]);
      for (const { id } of other.search([condition])) other.delete(id);
      assert.deepEqual(table.stats(), other.stats());
    }
  });

  test('is undone as a whole when the transaction fails', () => {
    const table = filled();
    const before = table.search();
    const { rows, texts } = table.stats().bytes;
    assert.throws(() =>
      table.transaction((t) => {
        t.remove([columns.done.eq(true)]);
        throw new Error('undo');
      }),
    );
    assert.deepEqual(table.search(), before);
    const { bytes } = table.stats();
    assert.deepEqual({ rows: bytes.rows, texts: bytes.texts }, { rows, texts });
    assert.equal(table.search([columns.done.eq(true)]).length, ROWS / 2);
  });
});
