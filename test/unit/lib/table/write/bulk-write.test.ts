import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  and,
  type Condition,
  columnsOf,
  not,
} from '../../../../../src/lib/table/condition/condition.ts';
import {
  ColumnError,
  ConditionError,
  TableFullError,
} from '../../../../../src/lib/table/errors.ts';
import type { RowChanges } from '../../../../../src/lib/table/schema/column.ts';
import { resolveSchema } from '../../../../../src/lib/table/schema/resolved-schema.ts';
import type { BulkWrite } from '../../../../../src/lib/table/write/bulk-write.ts';
import { workOf } from '../support/costs.ts';
import { assertSame, idsOf } from '../support/rows.ts';
import {
  EVERY_ROW,
  filled,
  follow,
  impatient,
  rollBack,
  schema,
  type Task,
  type Tasks,
} from '../support/tables.ts';

const ROWS = 1_836;

const columns = columnsOf<typeof schema>(resolveSchema(schema));

/** Conditions of which the first one is tested row by row. */
const CONDITIONS = {
  'row test': and(columns.title.ne('rare Ä 5'), columns.priority.ne(4)),
  bitmaps: columns.done.eq(true),
  'no row': columns.title.contains('nowhere'),
};

type TaskChanges = RowChanges<typeof schema>;

function begin(table: Tasks, where: Condition, changes?: TaskChanges): BulkWrite {
  return changes ? table.modification([where], changes) : table.removal([where]);
}

/** Returns the number of steps. */
function find(write: BulkWrite): number {
  let steps = 0;
  for (const _ of write.find()) steps++;
  return steps;
}

/** The two ways to write. Both return how many rows match. */
const WAYS = {
  'at once': (table: Tasks, where: Condition, changes?: TaskChanges) =>
    changes ? table.modify([where], changes) : table.remove([where]),
  'in steps': (table: Tasks, where: Condition, changes?: TaskChanges) => {
    const write = begin(table, where, changes);
    find(write);
    return write.commit();
  },
};

// `model.test.ts` compares what is written with a model.
describe('writing rows by condition', () => {
  for (const [way, write] of Object.entries(WAYS)) {
    it(`needs conditions and values that are valid, ${way}`, () => {
      const table = filled(3);
      const [remove, modify] =
        way === 'at once'
          ? [table.remove.bind(table), table.modify.bind(table)]
          : [table.removal.bind(table), table.modification.bind(table)];
      for (const none of [[], () => []]) {
        assert.throws(() => remove(none as never), ConditionError);
        assert.throws(() => modify(none as never, { done: true }), ConditionError);
      }
      assert.throws(() => remove([{ op: 'eq', column: 'x', value: 1 }]), ConditionError);
      for (const changes of [{ priority: 0.5 }, { id: 7 }, { x: 7 }]) {
        assert.throws(() => modify([not(and())], changes as never), ColumnError);
      }
      assert.deepEqual([table.size, table.lastCommit], [3, 3]);
    });

    it(`changes each row by what a function returns for it, or none if it throws, ${way}`, () => {
      const table = filled(ROWS);
      const before = table.search();
      const changes = ({ id, title }: (typeof before)[number]) => {
        if (id === ROWS) throw new Error('the last one');
        return id % 3 === 0 ? { title: `${title} ${id}` } : {};
      };
      assert.throws(() => write(table, columns.id.gt(0), changes), /the last one/);
      assertSame(table.search(), before);
      assert.equal(write(table, columns.id.lt(ROWS), changes), ROWS - 1);
      for (const { id, title } of before) {
        const expected = id % 3 === 0 && id < ROWS ? `${title} ${id}` : title;
        assert.equal(table.find(id)?.row.title, expected);
      }
      assert.throws(() => write(table, columns.id.eq(1), () => ({ id: 7 }) as never), ColumnError);
    });

    it(`changes all rows or none where there is no room, ${way}`, () => {
      const maxBytes = filled(ROWS).bytes + 10_000;
      const table = filled(ROWS, { maxBytes, maxRows: ROWS });
      const before = table.search();
      const title = 'x'.repeat(500);
      assert.throws(() => write(table, columns.id.gt(0), { title }), TableFullError);
      assertSame(table.search(), before);
      assert.ok(table.bytes <= maxBytes);
      assert.equal(write(table, columns.id.lte(5), { title }), 5);
      for (const changes of [{ done: true }, { title: '' }]) {
        assert.equal(write(table, columns.id.gt(0), changes), ROWS);
      }
      assert.ok(table.bytes <= maxBytes);
    });
  }

  it('writes no row that it does not change, and is no commit if there is no other', () => {
    const table = filled(10);
    const commits = follow(table);
    for (let times = 0; times < 2; times++) {
      assert.equal(table.modify([columns.id.gt(0)], { done: true }), 10);
      assert.deepEqual(
        commits.map(({ changes }) => changes.length),
        [5],
      );
      assert.deepEqual(
        [1, 2].map((id) => table.find(id)?.commit),
        [11, 2],
      );
    }
  });
});

describe('a bulk write in steps', () => {
  it('writes nothing before its commit, and a few rows a step if the clock says so', () => {
    for (const changes of [undefined, { title: 'new' }]) {
      const table = filled(ROWS, { clock: impatient() });
      const all = table.search();
      const write = begin(table, CONDITIONS['row test'], changes);
      const steps = write.find();
      const { total, longest } = workOf(() => steps.next());
      const rowBytes = table.bytes;
      // It tests each row, and prepares most of them.
      assert.ok(total > 1.6 * rowBytes, `${total} of ${rowBytes} bytes`);
      assert.ok(longest < rowBytes / 5, `${longest} of ${rowBytes} bytes`);
      assertSame(table.search(), all);
      assert.equal(
        write.commit(),
        all.filter(({ id, priority }) => id !== 5 && priority !== 4).length,
      );
      assert.equal(begin(table, columns.id.eq(5), changes).commit(), 1);
      assert.equal(table.lastCommit, ROWS + 2);
    }
    const [patient, fast] = [filled(ROWS), filled(ROWS)];
    assert.equal(find(patient.removal([columns.title.ne('rare Ä 5')])), 0);
    assert.ok(find(fast.removal([columns.done.eq(true)])) <= 2, 'bitmaps need no test');
  });

  it('can be read by listeners later, whatever is written meanwhile', () => {
    const table = filled(ROWS);
    const expected = idsOf(table.search([columns.done.eq(true)]));
    const removal = table.removal([columns.done.eq(true)]);
    find(removal);
    table.update(2, { note: 'changed' });
    const lists: Iterable<{ readonly deleted?: Task | undefined }>[] = [];
    table.onCommit(({ changes }) => lists.push(changes));
    removal.commit();
    table.remove(EVERY_ROW);
    const removed = Array.from(lists[0] ?? [], ({ deleted }) => deleted ?? assert.fail());
    assert.deepEqual(idsOf(removed), expected);
    assert.equal(removed[0]?.note, 'changed');
  });

  it('is part of a transaction, and can be committed again if that is taken back', () => {
    const table = filled(10);
    const removal = begin(table, columns.id.lt(4));
    find(removal);
    table.update(9, { note: 'kept open by the removal' });
    for (const expected of [3, 2]) {
      rollBack(table, () => {
        assert.equal(
          table.transaction(() => removal.commit()),
          expected,
        );
        assert.equal(table.size, 7);
      });
      if (expected === 3) table.delete(1);
    }
    assert.equal(table.size, 9);
    assert.equal(removal.commit(), 2);
    assert.equal(table.size, 7);
  });

  it('can be committed to forks of its table, and then to the table', () => {
    const table = filled(ROWS);
    const change = table.modification([columns.done.eq(true)], { note: 'new' });
    find(change);
    const counts = [];
    for (const priority of [1, 2]) {
      table.update(2, { priority });
      const fork = table.fork();
      fork.insert({ title: 'new', done: true });
      counts.push(
        fork.transaction(() => fork.commit(change), 1_000),
        fork.find(2)?.commit,
        fork.find(ROWS + 1)?.row.note,
        fork.search([columns.done.eq(true), columns.note.ne('new')]).length,
      );
      assert.notEqual(table.find(2)?.row.note, 'new');
    }
    assert.deepEqual(
      counts,
      Array(2)
        .fill([ROWS / 2 + 1, 1_000, 'new', 0])
        .flat(),
    );
    assert.equal(table.commit(change), ROWS / 2);
  });

  it('does not have the bytes of values that it leaves as they are', () => {
    const bytesWith = (note: string) => {
      const table = filled(ROWS);
      table.modify([CONDITIONS.bitmaps], { note });
      const write = begin(table, CONDITIONS.bitmaps, { priority: 9 });
      find(write);
      return write.bytes;
    };
    assert.equal(bytesWith('x'.repeat(1_000)), bytesWith('x'));
  });

  it('has found each row once, and has its bytes once, after other writes have changed it', () => {
    const table = filled(ROWS);
    const write = begin(table, CONDITIONS.bitmaps, { priority: 9 });
    find(write);
    const { found, bytes } = write;
    assert.equal(found, ROWS / 2);
    for (let round = 0; round < 3; round++) {
      for (const id of [1, 2, ROWS - 1, ROWS]) table.update(id, { note: `n${round}` });
      find(write);
      assert.equal(write.found, found);
      assert.ok(write.bytes >= bytes && write.bytes < 1.1 * bytes, `${write.bytes} of ${bytes}`);
    }
  });

  it('has the bytes of the rows that it writes, and of new chunks and rows, until it ends', () => {
    const [nothing = 0, half = 0, changed = 0] = (
      [
        ['no row', undefined],
        ['bitmaps', undefined],
        ['bitmaps', { priority: 9 }],
      ] as const
    ).map(([name, changes]) => {
      const write = begin(filled(ROWS), CONDITIONS[name], changes);
      const { bytes } = write;
      find(write);
      const found = write.bytes - bytes;
      if (name === 'bitmaps') write.commit();
      else write.close();
      assert.equal(write.bytes, bytes);
      return found;
    });
    assert.equal(nothing, 0);
    assert.ok(half >= (8 * ROWS) / 2, `${half} bytes`);
    assert.ok(changed >= 8 * ROWS + (100 * ROWS) / 2, `${changed} bytes`);
  });
});
