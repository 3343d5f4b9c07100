import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { and, not } from '../../../../../src/lib/table/condition/condition.ts';
import {
  ColumnError,
  CommitError,
  EmptyConditionError,
  TableFullError,
} from '../../../../../src/lib/table/errors.ts';
import { WORK_PER_CLOCK_READ } from '../../../../../src/lib/table/query/pace.ts';
import type { Changes, Row, Schema } from '../../../../../src/lib/table/schema/column.ts';
import { Table } from '../../../../../src/lib/table/table.ts';
import type { Commit } from '../../../../../src/lib/table/write/commit.ts';
import { propertyOptions } from '../../../../support/property.ts';
import { Random } from '../support/random.ts';

const schema = {
  id: { kind: 'integer', identity: { from: 1, to: 2 ** 31 - 1 } },
  title: { kind: 'text', index: 'substring' },
  done: { kind: 'boolean', index: 'bitmap' },
  priority: { kind: 'integer', index: 'ordered' },
  note: { kind: 'text', nullable: true },
} as const satisfies Schema;

type Books = Table<typeof schema>;

/** More than the 4,096 of a page. */
const ROWS = 4500;

function filled(rows = ROWS, options = {}): Books {
  const table = new Table(schema, { clock: () => 0, ...options });
  for (let i = 1; i <= rows; i++) {
    const note = i % 7 === 0 ? 'note' : null;
    table.insert({ title: `a title ${i}`, done: i % 2 === 0, priority: i % 5, note });
  }
  return table;
}

/** The two ways to change rows; both return how many match. */
const WAYS = {
  'at once': (table: Books, ...[where, changes]: Parameters<Books['modify']>) =>
    table.modify(where, changes),
  'in steps': (table: Books, ...[where, changes]: Parameters<Books['modify']>) => {
    const modification = table.modification(where, changes);
    for (const _ of modification.find());
    return modification.commit();
  },
};

/** Changes, of which some leave rows as they are. */
const CHANGES: readonly Changes<typeof schema>[] = [
  { done: true },
  { priority: 3 },
  { title: 'the very same', note: null },
  { title: 'longer than any of those before', done: false, priority: 9, note: 'new' },
  {},
];

describe('modifying rows by condition', () => {
  for (const [way, modify] of Object.entries(WAYS)) {
    it(`writes matching rows that change, in one commit, and counts all matching rows, ${way}`, () => {
      for (const changes of CHANGES) {
        const table = filled();
        const before = table.search();
        const matching = new Set(table.search((t) => [t.priority.lte(3)]));
        const cursor = table.cursor();
        const { version } = table;
        const commits: Commit<typeof schema>[] = [];
        table.onCommit((commit) => commits.push(commit));
        assert.equal(
          modify(table, (t) => [t.priority.lte(3)], changes),
          matching.size,
        );
        const expected = before.map((row) => (matching.has(row) ? { ...row, ...changes } : row));
        assert.deepEqual(table.search(), expected);
        assert.deepEqual([...cursor], before);
        assert.equal(table.snapshotBytes, 0);
        const written = before.filter((row, i) => isOther(row, expected[i]));
        assert.equal(table.version, version + Number(written.length > 0));
        for (const row of before) {
          const isWritten = isOther(row, expected[row.id - 1]);
          assert.equal(table.get(row.id) === row, !isWritten);
          assert.equal(table.find(row.id)?.revision, isWritten ? table.version : row.id);
        }
        assert.deepEqual(
          commits.flatMap(({ changes }) => [...changes]),
          written.map((row) => ({ put: table.get(row.id), before: row })),
        );
        assertFound(table);
      }
    });

    it(`refuses an empty list of conditions, and values that do not fit, ${way}`, () => {
      const table = filled(3);
      assert.throws(() => modify(table, [] as never, { done: true }), EmptyConditionError);
      assert.throws(() => modify(table, (t) => [t.id.gt(1)], { priority: 0.5 }), ColumnError);
      assert.throws(() => modify(table, (t) => [t.id.gt(1)], { id: 7 } as never), ColumnError);
      assert.throws(() => modify(table, [not(and())], { x: 7 } as never), ColumnError);
      assert.equal(table.snapshotBytes, 0);
      assert.equal(table.version, 3);
    });

    it(`changes all rows or none where there is no room, ${way}`, () => {
      const bytes = filled().bytes + 20_000;
      const table = filled(ROWS, { maxBytes: bytes });
      const before = table.search();
      const long = 'x'.repeat(500);
      const all = (changes: Changes<typeof schema>) => modify(table, (t) => [t.id.gt(0)], changes);
      assert.throws(() => all({ title: long }), TableFullError);
      assert.deepEqual(table.search(), before);
      assert.ok(table.bytes <= bytes);
      assert.equal(
        modify(table, (t) => [t.id.lte(5)], { title: long }),
        5,
      );
      table.maxRows = 1;
      assert.equal(all({ done: true }), ROWS);
      assert.equal(all({ title: '' }), ROWS);
      assert.ok(table.bytes <= bytes);
    });
  }

  it('of every row has a method of its own', () => {
    const table = filled(10);
    const modification = table.modificationOfAll({ priority: 7 });
    for (const _ of modification.find());
    assert.equal(modification.commit(), 10);
    assert.equal(
      table.count((t) => [t.priority.eq(7)]),
      10,
    );
  });

  it('is undone as a whole when the transaction fails', () => {
    const table = filled();
    const before = table.search();
    const { rows } = table.stats().bytes;
    const stop = new Error('stop');
    const fails = () =>
      table.transaction((t) => {
        assert.equal(
          t.modify((c) => [c.done.eq(true)], { title: 'gone', priority: 9 }),
          ROWS / 2,
        );
        t.modify((c) => [c.id.gt(0)], { done: true });
        throw stop;
      });
    assert.throws(fails, stop);
    assert.deepEqual(table.search(), before);
    assert.equal(table.stats().bytes.rows, rows);
    assertFound(table);
  });
});

describe('a modification in steps', () => {
  it('changes nothing before its commit, and few rows a step if the clock says so', () => {
    let now = 0;
    const table = filled(ROWS, { clock: () => ++now });
    const modification = table.modification((t) => [t.done.eq(true)], { title: 'new' });
    let steps = 0;
    for (const _ of modification.find()) steps++;
    assert.ok(steps >= ROWS / 2 / WORK_PER_CLOCK_READ, `${steps} steps`);
    assert.ok(modification.bytes > 4096 * 8);
    assert.equal(table.version, ROWS);
    assert.throws(() => table.transaction(() => modification.commit()), CommitError);
    assert.equal(modification.commit(17_000), ROWS / 2);
    assert.equal(table.find(2)?.revision, 17_000);
  });

  it('leaves rows written meanwhile as if it had been made at its commit', () => {
    const write = (random: Random, table: Books) => {
      const id = 1 + random.below(ROWS);
      const kind = random.below(6);
      if (kind === 0) table.delete(id);
      else if (kind === 1) table.insert({ title: 'new', done: true, priority: 1, note: null });
      else if (kind === 2 && random.chance(9)) table.remove((t) => [t.id.between(id, id + 3000)]);
      else if (kind === 3) table.modify((t) => [t.id.between(id, id + 50)], { done: id % 2 > 0 });
      else table.update(id, { priority: kind, title: `changed ${id}` });
    };
    const property = fc.property(fc.integer(), fc.nat(60), fc.nat(3), (seed, writes, which) => {
      const [found, other] = [true, false].map((isFound) => {
        const table = filled();
        const modification = table.modification(
          (t) => [t.done.eq(true), t.priority.lt(4)],
          CHANGES[which] ?? {},
        );
        if (isFound) for (const _ of modification.find());
        const random = new Random(seed);
        const cursor = random.chance(2) ? table.cursor() : undefined;
        for (let i = 0; i < writes; i++) write(random, table);
        const count = modification.commit();
        cursor?.close();
        assert.equal(table.snapshotBytes, 0);
        assertFound(table);
        const rows = table.search();
        return { count, rows, revisions: rows.map(({ id }) => table.find(id)?.revision), table };
      });
      assert.equal(found?.count, other?.count);
      assert.deepEqual(found?.rows, other?.rows);
      assert.deepEqual(found?.revisions, other?.revisions);
      assert.deepEqual(found?.table.stats().bytes.rows, other?.table.stats().bytes.rows);
    });
    fc.assert(property, propertyOptions(5));
  });
});

function isOther(a: Row<typeof schema> | undefined, b: Row<typeof schema> | undefined): boolean {
  return JSON.stringify(a) !== JSON.stringify(b);
}

/** Asserts that whatever finds rows knows them all as they are. */
function assertFound(table: Books): void {
  const all = table.search();
  const ids = (isWanted: (row: Row<typeof schema>) => boolean) =>
    all.filter(isWanted).map(({ id }) => id);
  const found = (where: Parameters<Books['search']>[0]) => table.search(where).map(({ id }) => id);
  for (let i = 0; i < 2; i++) {
    assert.deepEqual(
      found((t) => [t.title.contains('title 4')]),
      ids(({ title }) => title.includes('title 4')),
    );
    assert.deepEqual(
      found((t) => [t.title.contains('very')]),
      ids(({ title }) => title.includes('very')),
    );
  }
  assert.deepEqual(
    found((t) => [t.done.eq(true)]),
    ids(({ done }) => done),
  );
  assert.deepEqual(
    found((t) => [t.priority.gte(3)]),
    ids(({ priority }) => priority >= 3),
  );
}
