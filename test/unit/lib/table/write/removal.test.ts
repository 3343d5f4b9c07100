import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  and,
  type Condition,
  columnsOf,
  not,
  or,
} from '../../../../../src/lib/table/condition/condition.ts';
import {
  CommitError,
  ConditionError,
  EmptyConditionError,
} from '../../../../../src/lib/table/errors.ts';
import { WORK_PER_CLOCK_READ } from '../../../../../src/lib/table/query/pace.ts';
import type { Row, Schema } from '../../../../../src/lib/table/schema/column.ts';
import { resolveSchema } from '../../../../../src/lib/table/schema/resolved-schema.ts';
import { CHUNK_SLOTS } from '../../../../../src/lib/table/slots.ts';
import { Table } from '../../../../../src/lib/table/table.ts';
import type { BulkWrite } from '../../../../../src/lib/table/write/bulk-write.ts';
import type { Commit } from '../../../../../src/lib/table/write/commit.ts';
import { propertyOptions } from '../../../../support/property.ts';
import { Random } from '../support/random.ts';
import { leastRetained } from '../support/retained.ts';
import { assertSame, idsOf } from '../support/rows.ts';

const schema = {
  id: { kind: 'integer', identity: { from: 1, to: 2 ** 31 - 1 } },
  title: { kind: 'text', index: 'substring' },
  done: { kind: 'boolean', index: 'bitmap' },
  priority: { kind: 'integer', index: 'ordered' },
  note: { kind: 'text', default: '' },
} as const satisfies Schema;

type Rows = readonly Row<typeof schema>[];

/** More than the 4,096 of a page, so that the second one is still growing. */
const ROWS = 4500;

const valuesOf = (i: number) => ({
  title: i % 5 === 0 ? `rare Ä ${i}` : `usual ${i}`,
  done: i % 2 === 0,
  priority: i % 5,
  note: i % 7 === 0 ? 'note' : '',
});

function filled(rows = ROWS, clock = () => 0): Table<typeof schema> {
  const table = new Table(schema, { clock });
  for (let i = 1; i <= rows; i++) table.insert(valuesOf(i));
  return table;
}

const columns = columnsOf<typeof schema>(resolveSchema(schema));

/** A condition for each means to find rows, some on most of them. */
const CONDITIONS: Readonly<Record<string, Condition>> = {
  identity: columns.id.gt(700),
  order: columns.priority.eq(1),
  bitmaps: columns.done.eq(true),
  signature: columns.title.contains('rare'),
  'signature or order': or(columns.title.contains('rare'), columns.priority.eq(1)),
  'row test': and(columns.note.eq(''), columns.priority.ne(4)),
  'every row': columns.id.gt(0),
  'no row': columns.title.contains('nowhere'),
  'one row': columns.id.eq(5),
  'all but one row of each page': not(columns.id.in([7, CHUNK_SLOTS + 7])),
};

/** The rows that commits have deleted. */
function deletedBy(commits: readonly Commit<typeof schema>[]): Rows {
  return commits.flatMap(({ changes }) =>
    Array.from(changes, (each) => each.deleted ?? assert.fail()),
  );
}

/** Asserts that two tables have found the same. */
function assertEqual(found: Rows, expected: Rows): void {
  if (JSON.stringify(found) !== JSON.stringify(expected)) assert.deepEqual(found, expected);
}

function find(removal: BulkWrite): number {
  let steps = 0;
  for (const _ of removal.find()) steps++;
  return steps;
}

/** The two ways to remove rows; both return their number. */
const WAYS: Readonly<Record<string, (from: Table<typeof schema>, where: Condition) => number>> = {
  'at once': (table, where) => table.remove([where]),
  'in steps': (table, where) => {
    const removal = table.removal([where]);
    find(removal);
    return removal.commit();
  },
};

describe('removing rows by condition', () => {
  for (const [way, remove] of Object.entries(WAYS)) {
    for (const [means, condition] of Object.entries(CONDITIONS)) {
      it(`deletes matching rows only, ${way}: ${means}`, () => {
        const table = filled();
        const all = table.search();
        const matching = new Set(table.search([condition]));
        const commits: Commit<typeof schema>[] = [];
        table.onCommit((commit) => commits.push(commit));
        const { version } = table;
        const [before, some] = [table.cursor(), table.cursor([condition])];
        assert.equal(remove(table, condition), matching.size);
        const rest = all.filter((row) => !matching.has(row));
        assertSame(table.search(), rest);
        assertSame(table.search([condition]), []);
        assert.equal(table.size, all.length - matching.size);
        for (const { id } of [all[4], all[6], all[ROWS - 1]].filter((row) => row !== undefined)) {
          assert.equal(table.get(id) === undefined, matching.has(all[id - 1] ?? assert.fail()));
        }
        assertSame([...before], all);
        assertSame([...some], [...matching]);
        const isCommit = matching.size > 0;
        assert.equal(table.version, version + Number(isCommit), 'nothing removed is no commit');
        assert.deepEqual(
          commits.map(({ number, changes }) => [number, changes.length]),
          isCommit ? [[version + 1, matching.size]] : [],
        );
        assertSame(deletedBy(commits), isCommit ? [...matching] : []);
      });
    }

    it(`needs a condition, and only valid ones, ${way}`, () => {
      const table = filled(3);
      const begin = way === 'at once' ? table.remove.bind(table) : table.removal.bind(table);
      assert.throws(() => begin([] as never), EmptyConditionError);
      assert.throws(() => begin((() => []) as never), EmptyConditionError);
      assert.throws(() => begin([{ op: 'eq', column: 'x', value: 1 }]), ConditionError);
      assert.equal(table.size, 3);
      assert.equal(table.snapshotBytes, 0);
    });

    it(`leaves the other rows and later rows findable, ${way}`, () => {
      const table = filled();
      remove(table, columns.priority.gte(2));
      table.update(1, { title: 'changed', priority: 3 });
      const { id } = table.insert({ ...valuesOf(0), title: 'usual and new' });
      assert.equal(id, ROWS + 1);
      assert.deepEqual(idsOf(table.search((t) => [t.priority.eq(3)])), [1]);
      assert.deepEqual(idsOf(table.search((t) => [t.title.contains('usual and')])), [id]);
      assert.deepEqual(idsOf(table.search((t) => [t.title.contains('usual 4401')])), [4401]);
      assert.equal(
        table.count((t) => [t.done.eq(true)]),
        table.search().filter(({ done }) => done).length,
      );
    });
  }

  it('leaves the same memory either way, and less than before', () => {
    const [one, other] = [filled(), filled()];
    const several = ['no row', 'one row', 'row test', 'bitmaps', 'identity', 'every row'];
    for (const condition of several.flatMap((name) => CONDITIONS[name] ?? [])) {
      const { bytes } = one;
      const removed = WAYS['at once']?.(one, condition) ?? 0;
      assert.equal(WAYS['in steps']?.(other, condition), removed);
      assert.deepEqual(one.stats(), other.stats());
      assert.equal(one.bytes < bytes, removed > 0);
    }
    assert.equal(one.bytes, 0);
  });

  it('gives back the memory of chunks that have few rows left', () => {
    const table = filled(CHUNK_SLOTS);
    const perRow = table.bytes / CHUNK_SLOTS;
    table.remove((t) => [t.id.gt(500)]);
    assert.ok(table.bytes < 700 * perRow, `${table.bytes} bytes`);
    table.remove((t) => [t.id.gt(1)]);
    assert.ok(table.bytes < 8_000, `${table.bytes} bytes`);
  });

  it('is undone as a whole when the transaction fails', () => {
    const table = filled();
    const before = table.search();
    const { bytes } = table.stats();
    const found = () => Object.values(CONDITIONS).map((where) => table.search([where]));
    const expected = found();
    for (const condition of Object.values(CONDITIONS)) {
      const failure = new Error('undo');
      const fails = () =>
        table.transaction((t) => {
          t.insert(valuesOf(0));
          t.remove([condition]);
          t.remove([columns.id.gt(ROWS / 2)]);
          throw failure;
        });
      assert.throws(fails, failure);
      assertSame(table.search(), before);
      for (const [i, rows] of found().entries()) assertSame(rows, expected[i] ?? []);
      assert.equal(table.stats().bytes.rows, bytes.rows);
    }
    assert.equal(table.insert(valuesOf(0)).id, ROWS + 1);
  });
});

describe('a removal in steps', () => {
  it('deletes nothing before its commit, and takes few rows a step if the clock says so', () => {
    let now = 0;
    const table = filled(ROWS, () => ++now);
    const all = table.search();
    const removal = table.removal([columns.note.eq('')]);
    const steps = find(removal);
    assert.ok(steps >= ROWS / WORK_PER_CLOCK_READ, `${steps} steps`);
    assertSame(table.search(), all);
    const [patient, fast] = [filled(), filled()];
    assert.equal(find(patient.removal([columns.note.eq('')])), 0);
    assert.ok(find(fast.removal([columns.done.eq(true)])) <= 2, 'bitmaps need no test');
    assert.equal(removal.commit(), all.filter(({ note }) => note === '').length);
  });

  it('deletes rows that match at its commit, also rows written since it began', () => {
    let now = 0;
    const table = filled(ROWS, () => ++now);
    const removal = table.removal([columns.title.contains('rare'), columns.priority.eq(0)]);
    let written = 0;
    const write = () => {
      const i = written++;
      if (i % 3 === 0) table.update(1 + ((i * 37) % ROWS), { title: 'now rare', priority: 0 });
      else if (i % 3 === 1) table.update(5 + ((i * 35) % 4400), { title: 'not any more' });
      else if (i % 4 === 0) table.delete(5 + ((i * 45) % 4400));
      else table.insert({ ...valuesOf(5 * i), note: 'new' });
    };
    for (const _ of removal.find()) if (written < 600) write();
    for (let i = 0; i < 300; i++) write();
    const all = table.search();
    const matches = ({ title, priority }: Rows[number]) => title.includes('rare') && priority === 0;
    const expected = all.filter((row) => !matches(row));
    const revisions = expected.map(({ id }) => table.find(id)?.revision);
    assert.equal(removal.commit(), all.length - expected.length);
    assertSame(table.search(), expected);
    assert.deepEqual(
      expected.map(({ id }) => table.find(id)?.revision),
      revisions,
    );
    for (const condition of Object.values(CONDITIONS)) {
      const matching = new Set(idsOf(table.search([condition])));
      assert.deepEqual(
        idsOf(table.search([not(condition)])),
        idsOf(expected).filter((id) => !matching.has(id)),
      );
    }
  });

  it('leaves pages as they would be if it had found their rows at its commit', () => {
    const write = (random: Random, table: Table<typeof schema>): void => {
      const id = 1 + random.below(ROWS);
      const kind = random.below(8);
      if (kind === 0) table.delete(id);
      else if (kind === 1 && random.chance(20)) table.insert(valuesOf(id));
      else if (kind === 1 && random.chance(10)) table.remove([columns.id.between(id, id + 3000)]);
      else if (kind === 2)
        table.replay(
          [{ id, row: table.rowOf(id, valuesOf(id)) }],
          table.idsAssigned,
          table.version + 1,
        );
      else table.update(id, { ...valuesOf(id + kind), note: kind === 3 ? 'note' : '' });
    };
    fc.assert(
      fc.property(
        fc.integer(),
        fc.integer({ min: 0, max: 60 }),
        fc.nat(3),
        (seed, writes, gone) => {
          const tables = [filled(), filled()] as const;
          const removed = [columns.done.eq(true), columns.note.eq(''), columns.priority.eq(1)];
          const where = removed[gone] ?? columns.title.contains('usual');
          const [found, other] = tables.map((table) => {
            const removal = table.removal([where]);
            if (table === tables[0]) find(removal);
            const random = new Random(seed);
            for (let i = 0; i < writes; i++) write(random, table);
            return removal.commit();
          });
          assert.equal(found, other);
          const [table, expected] = tables;
          for (let i = 0; i < 2; i++) {
            for (const condition of Object.values(CONDITIONS)) {
              assertEqual(table.search([condition]), expected.search([condition]));
              assert.equal(table.count([condition]), expected.count([condition]));
            }
            const options = { orderBy: [{ column: 'priority', direction: 'desc' }] } as const;
            assertEqual(table.search([], options), expected.search([], options));
            for (const { id } of expected.search()) {
              assert.equal(table.find(id)?.revision, expected.find(id)?.revision);
            }
            const random = [new Random(seed), new Random(seed)] as const;
            for (let k = 0; k < 50; k++)
              tables.forEach((each, t) => {
                write(random[t] ?? assert.fail(), each);
              });
          }
          assert.equal(table.stats().bytes.snapshots, 0);
        },
      ),
      propertyOptions(6),
    );
  });

  it('may be committed before it has found anything', () => {
    const table = filled();
    assert.equal(table.removal([columns.done.eq(true)]).commit(), ROWS / 2);
    const removal = table.removal([columns.priority.eq(1)]);
    removal.find().next();
    assert.equal(removal.commit(), ROWS / 10);
    assert.equal(table.size, ROWS / 2 - ROWS / 10);
  });

  it('is no commit if the rows it found no longer match', () => {
    const table = filled(100);
    const removal = table.removal([columns.id.eq(5)]);
    find(removal);
    table.delete(5);
    const change = table.modification([columns.id.eq(6)], { note: 'changed' });
    find(change);
    table.update(6, { note: 'changed' });
    const commits: Commit<typeof schema>[] = [];
    table.onCommit((commit) => commits.push(commit));
    assert.deepEqual([removal.commit(), change.commit()], [0, 1]);
    assert.deepEqual(commits, []);
  });

  it('removes from pages that have grown or come since', () => {
    const table = filled(100);
    const removal = table.removal([columns.id.in([5, 90, 2000, 5000])]);
    find(removal);
    for (let i = 101; i <= 6000; i++) table.insert(valuesOf(i));
    assert.equal(removal.commit(), 4);
    assert.equal(table.size, 5996);
    assert.deepEqual(
      idsOf(table.search((t) => [t.title.contains('usual 599')])),
      [599, 5991, 5992, 5993, 5994, 5996, 5997, 5998, 5999],
    );
    for (const id of [5, 90, 2000, 5000]) assert.equal(table.get(id), undefined);
  });

  it('removes from rows that replaced the rows it found', () => {
    const table = filled();
    const removal = table.removal([columns.done.eq(true)]);
    find(removal);
    const replacement = table.replacement();
    for (let i = 1; i <= 10; i++) replacement.insert({ ...valuesOf(i), done: i === 3 });
    replacement.commit();
    assert.equal(removal.commit(), 1);
    assert.deepEqual(idsOf(table.search()), [1, 2, 4, 5, 6, 7, 8, 9, 10]);
    assert.equal(table.snapshotBytes, 0);
  });

  it('goes on beside others, and beside other writes in the same commit order', () => {
    const table = filled();
    const removals = [columns.done.eq(true), columns.priority.eq(1), columns.done.eq(true)].map(
      (condition) => table.removal([condition]),
    );
    for (const removal of removals) find(removal);
    table.delete(2);
    assert.deepEqual(
      removals.map((removal) => removal.commit()),
      [ROWS / 2 - 1, ROWS / 10, 0],
    );
    assert.equal(table.size, ROWS / 2 - ROWS / 10);
    assert.equal(table.version, ROWS + 3);
    assert.equal(table.snapshotBytes, 0);
  });

  it('has the number of a commit that it is given', () => {
    const table = filled(10);
    const numbers: number[] = [];
    table.onCommit(({ number }) => numbers.push(number));
    table.removal([columns.id.eq(3)]).commit(70);
    table.removal([columns.id.eq(4)]).commit();
    assert.deepEqual(numbers, [70, 71]);
  });

  it('can be read by listeners later, whatever is written meanwhile', () => {
    const table = filled();
    const expected = table.search([columns.done.eq(true)]);
    const commits: Commit<typeof schema>[] = [];
    table.onCommit((commit) => commits.push(commit));
    const removal = table.removal([columns.done.eq(true)]);
    find(removal);
    table.update(2, { note: 'changed' });
    removal.commit();
    table.removeAll();
    const [, removed] = commits;
    assert.deepEqual(
      Array.from(removed?.changes ?? [], ({ deleted }) => deleted?.id),
      idsOf(expected),
    );
    const [first] = removed?.changes ?? [];
    assert.equal(first?.deleted?.note, 'changed');
  });

  it('is not part of a transaction: it is refused there, and can be committed after it', () => {
    const table = filled(10);
    const removal = table.removal([columns.id.lt(4)]);
    find(removal);
    const refused = {
      name: 'CommitError',
      message: 'a bulk write cannot be committed within a transaction',
    };
    table.transaction(() => {
      assert.throws(() => removal.commit(), refused);
      assert.equal(table.size, 10);
      table.delete(1);
    });
    table.dryRun(() => assert.throws(() => removal.commit(), CommitError));
    assert.equal(removal.commit(), 2);
    assert.equal(table.size, 7);
  });

  it('keeps the rows that it has found in memory, until it is committed or closed', () => {
    const table = filled();
    const [abandoned, committed] = [1, 2].map((id) => table.removal([columns.id.eq(id)]));
    for (const removal of [abandoned, committed]) if (removal) find(removal);
    table.update(3, { note: 'x' });
    assert.ok(table.snapshotBytes > 0);
    committed?.commit();
    assert.ok(table.snapshotBytes > 0);
    abandoned?.close();
    abandoned?.close();
    assert.equal(table.snapshotBytes, 0);
    const begun = table.removal([columns.note.eq('')]);
    begun.find().next();
    begun.close();
    assert.equal(table.snapshotBytes, 0);
    assert.equal(table.size, ROWS - 1);
  });

  it('reports its memory: a bit for each row, and pages without the matching rows', () => {
    const [nothing, half] = ['no row', 'bitmaps'].map((name) => {
      const removal = filled().removal([CONDITIONS[name] ?? assert.fail()]);
      const { bytes } = removal;
      find(removal);
      return removal.bytes - bytes;
    });
    assert(nothing !== undefined && half !== undefined);
    assert.ok(nothing >= ROWS / 8 && nothing < ROWS, `${nothing} bytes`);
    assert.ok(half >= nothing + 8 * ROWS, `${half} bytes`);
  });

  it('leaves to cursors the same rows as an immediate removal, and counts them', () => {
    const [table, twin] = [filled(), filled()];
    const held = [{ cursor: table.cursor(), rows: table.search() }];
    twin.cursor();
    const update = (ids: readonly number[], note: string) => {
      for (const each of [table, twin]) for (const id of ids) each.update(id, { note });
    };
    for (const condition of [columns.priority.eq(1), columns.done.eq(true), columns.id.gt(3000)]) {
      const removal = table.removal([condition]);
      find(removal);
      update([1, 1001, 4500], 'meanwhile');
      held.push({ cursor: table.cursor(), rows: table.search() });
      twin.cursor();
      update([3, 1003], 'afterwards');
      removal.commit();
      twin.remove([condition]);
      assert.equal(table.snapshotBytes, twin.snapshotBytes);
      assert.ok(table.snapshotBytes >= leastRetained(schema, table, held));
    }
    const { bytes, snapshotBytes } = table;
    for (const { cursor, rows } of held) assertSame([...cursor], rows);
    assert.equal(table.snapshotBytes, 0);
    assert.equal(table.bytes, bytes - snapshotBytes);
  });
});
