import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { or } from '../../../../../src/lib/table/condition/condition.ts';
import type { Cursor } from '../../../../../src/lib/table/query/execution.ts';
import { WORK_PER_CLOCK_READ } from '../../../../../src/lib/table/query/pace.ts';
import type { SearchOptions } from '../../../../../src/lib/table/query/search-options.ts';
import type { Row, Schema } from '../../../../../src/lib/table/schema/column.ts';
import { Table } from '../../../../../src/lib/table/table.ts';
import { Random, SEED } from '../support/random.ts';
import { assertSame } from '../support/rows.ts';

const schema = {
  id: { kind: 'integer', identity: { from: 1, to: 999_999 } },
  title: { kind: 'text', index: 'substring' },
  rank: { kind: 'integer', nullable: true, index: 'ordered' },
  score: { kind: 'integer' },
} as const satisfies Schema;

const ROWS = 9_000;

/** @param clock says that each step is over at once, unless it is another one */
function filled(rows: number, clock = impatient()) {
  const table = new Table(schema, { clock });
  const random = new Random(SEED);
  for (let i = 1; i <= rows; i++) {
    const rank = random.chance(10) ? null : random.below(100);
    table.insert({ title: `row ${i}`, rank, score: random.below(1000) });
  }
  return table;
}

function impatient(): () => number {
  let now = 0;
  return () => ++now;
}

function drain(cursor: Cursor<typeof schema>): { ids: number[]; steps: number } {
  const ids: number[] = [];
  let steps = 0;
  for (let step = cursor.next(); !step.done; step = cursor.next()) {
    for (const { id } of step.value ?? []) ids.push(id);
    steps++;
  }
  return { ids, steps };
}

const ORDERS: Readonly<Record<string, SearchOptions<keyof typeof schema>>> = {
  'by id': {},
  'by id, backwards': { orderBy: [{ column: 'id', direction: 'desc' }] },
  'by an index': { orderBy: [{ column: 'rank' }] },
  'by an index, backwards': { orderBy: [{ column: 'rank', direction: 'desc', nulls: 'first' }] },
  sorted: { orderBy: [{ column: 'score' }, { column: 'rank', direction: 'desc' }] },
  'in part': { orderBy: [{ column: 'rank' }], offset: 2000, limit: 6000 },
  'in part, sorted': { orderBy: [{ column: 'score' }], offset: 2000, limit: 1000 },
};

const WHERES = {
  'every row': [],
  'rows of an index': [{ op: 'lt', column: 'rank', value: 35 }],
  'rows that contain a text': [{ op: 'contains', column: 'title', value: 'row 1' }],
  'rows that contain two words': [{ op: 'containsIgnoreCase', column: 'title', value: 'ROW 1' }],
  'rows that contain a word': [{ op: 'containsIgnoreCase', column: 'title', value: '123' }],
  'rows that are in neither': [{ op: 'gte', column: 'score', value: 300 }],
} as const;

describe('a cursor, while others write', () => {
  const table = filled(ROWS);

  for (const [order, options] of Object.entries(ORDERS)) {
    for (const [what, where] of Object.entries(WHERES)) {
      it(`gives ${what} ${order}, whatever is written between its steps`, () => {
        const expected = table.search(where, options);
        const cursor = table.cursor(where, { ...options, total: true });
        const total = table.count(where);
        const found: Row<typeof schema>[] = [];
        for (let written = 0; ; written++) {
          const step = cursor.next();
          if (step.done) break;
          found.push(...(step.value ?? []));
          if (written > 300) continue;
          const id = 1 + ((written * 7919) % ROWS);
          if (written > 100) table.update(id, { rank: written % 100, title: `row ${written}` });
          if (written % 50 === 0) table.delete(id);
          if (written % 50 === 1) table.insert({ title: `row ${written}`, rank: 7, score: 500 });
          if (written === 200) table.remove((t) => [t.rank.eq(SEED % 100), t.score.lt(500)]);
        }
        assertSame(found, expected);
        assert.equal(cursor.total, total);
      });
    }
  }
});

describe('a cursor', () => {
  const table = filled(ROWS);

  it('does only a few rows a step, where the clock says so, whatever it has to do', () => {
    for (const [order, options] of Object.entries(ORDERS)) {
      const { steps } = drain(table.cursor([{ op: 'gte', column: 'score', value: 0 }], options));
      const least = Math.min(ROWS, (options.offset ?? 0) + (options.limit ?? ROWS));
      assert.ok(steps >= least / WORK_PER_CLOCK_READ, `${order}: ${steps} steps`);
    }
  });

  it('does only a few rows a step, however few of them it sorts', () => {
    for (const limit of [1, 10, ROWS]) {
      for (const where of [[], [{ op: 'lt', column: 'score', value: 5 }]] as const) {
        const options = { orderBy: [{ column: 'score' }], limit } as const;
        const { steps } = drain(table.cursor(where, options));
        const least = ROWS / (2 * WORK_PER_CLOCK_READ);
        assert.ok(steps >= least, `${limit} of ${where.length} conditions: ${steps} steps`);
      }
    }
  });

  it('tests only a few rows a step, among rows that an index finds', () => {
    const where = [{ op: 'contains', column: 'title', value: 'Row 1' }] as const;
    const tested = table.countTests(where);
    const { ids, steps } = drain(table.cursor(where));
    assert.equal(ids.length, 0);
    assert.ok(tested > 1000 && steps >= tested / WORK_PER_CLOCK_READ, `${steps} steps`);
  });

  it('does not look at all rows of an index if the first few are enough', () => {
    const where = [{ op: 'containsIgnoreCase', column: 'title', value: 'row 1' }] as const;
    const { ids, steps } = drain(table.cursor(where, { limit: 1 }));
    assert.deepEqual(ids, [1]);
    assert.ok(steps < 10, `${steps} steps`);
  });

  it('holds no more than a bit for each row of an index, however many it still has to show', () => {
    for (const value of ['row 1', 'row 77']) {
      const where = [{ op: 'containsIgnoreCase', column: 'title', value }] as const;
      const { arrayBuffers } = process.memoryUsage();
      const cursors = Array.from({ length: 200 }, () => table.cursor(where));
      for (const cursor of cursors) while (!cursor.next().value);
      const held = (process.memoryUsage().arrayBuffers - arrayBuffers) / cursors.length;
      for (const cursor of cursors) cursor.close();
      assert.ok(held < ROWS / 8 + 4096, `${held} bytes`);
    }
  });

  it('looks at the clock after each row that many conditions test', () => {
    const many = Array.from({ length: 100 }, () => ({ op: 'lt', column: 'id', value: 0 }) as const);
    const where = or(...many, { op: 'gte', column: 'score', value: 0 });
    assert.ok(drain(table.cursor([where])).steps >= ROWS);
  });

  it('looks at the clock after each chunk that many conditions narrow', () => {
    const many = Array.from(
      { length: 100 },
      () => ({ op: 'gte', column: 'rank', value: 7 }) as const,
    );
    const { steps } = drain(table.cursor([or(...many)], { limit: 0, total: true }));
    assert.ok(steps >= 1, `${steps} steps`);
  });

  it('does much in a step, where the clock does not say otherwise', () => {
    const { steps } = drain(filled(5000, () => 0).cursor());
    assert.ok(steps <= 11);
  });

  it('skips pages before an offset without a step', () => {
    const { ids, steps } = drain(table.cursor([], { offset: ROWS - 10 }));
    assert.equal(ids.length, 10);
    assert.ok(steps < 600 / WORK_PER_CLOCK_READ, `${steps} steps`);
  });

  it('that is closed gives nothing more, and has no total', () => {
    const cursor = table.cursor([], { total: true });
    while (!cursor.next().value);
    cursor.close();
    assert.deepEqual([...cursor], []);
    assert.deepEqual(cursor.next(), { done: true, value: undefined });
    assert.equal(cursor.total, undefined);
    assert.equal(cursor.bytes, 0);
  });

  it('that is closed keeps no rows', async () => {
    setFlagsFromString('--expose-gc');
    const collect: () => void = runInNewContext('gc');
    const few = filled(100);
    const rows = few.search().map((row) => new WeakRef(row));
    const cursor = few.cursor();
    cursor.next();
    few.removeAll();
    cursor.close();
    // What has been dereferenced in a turn stays until its end.
    await new Promise((resolve) => setImmediate(resolve));
    collect();
    assert.ok(rows.every((row) => row.deref() === undefined));
    assert.equal(cursor.next().done, true);
  });

  it('tells the memory that it takes while it sorts', () => {
    const cursor = table.cursor([], { orderBy: [{ column: 'score' }] });
    let most = 0;
    while (!cursor.next().done) most = Math.max(most, cursor.bytes);
    assert.ok(most >= 8 * (ROWS - 1024) && most <= 8 * ROWS, `${most} bytes`);
    assert.equal(cursor.bytes, 0);
    const begun = table.cursor([], { orderBy: [{ column: 'score' }] });
    let rows = begun.next().value;
    while (!rows) rows = begun.next().value;
    assert.equal(begun.bytes, 8 * (ROWS - rows.length), 'what is sorted, and not yet read');
    begun.close();
    const first = table.cursor([], { orderBy: [{ column: 'score' }], limit: 10 });
    let mostOfFirst = 0;
    while (!first.next().done) mostOfFirst = Math.max(mostOfFirst, first.bytes);
    assert.ok(mostOfFirst < 8 * 2000, `${mostOfFirst} bytes`);
  });

  it('takes none for the order of ids', () => {
    const cursor = table.cursor([], { orderBy: [{ column: 'id', direction: 'desc' }] });
    let steps = 0;
    for (; !cursor.next().done; steps++) assert.equal(cursor.bytes, 0);
    assert.ok(steps > 0);
  });
});

describe('a total', () => {
  const table = filled(3000, () => 0);
  const totalOf = (cursor: Cursor<typeof schema>) => {
    drain(cursor);
    return cursor.total;
  };

  it('is how many rows match, whatever limit and offset', () => {
    for (const options of Object.values(ORDERS)) {
      for (const where of Object.values(WHERES)) {
        for (const part of [{ limit: 0 }, { limit: 7, offset: 3 }, { offset: 9999 }]) {
          const cursor = table.cursor(where, { ...options, ...part, total: true });
          assert.equal(cursor.total, undefined, 'not known yet');
          assert.equal(totalOf(cursor), table.count(where));
        }
      }
    }
  });

  it('of all rows, or of rows that an index counts, is known without reading them', () => {
    for (const where of [[], [{ op: 'lt', column: 'id', value: 35 }]] as const) {
      const cursor = table.cursor(where, { limit: 0, total: true });
      assert.equal(cursor.next().done, true);
      assert.equal(cursor.total, table.search(where).length);
    }
  });

  it('is not there unless it is asked for', () => {
    assert.equal(totalOf(table.cursor()), undefined);
  });
});
