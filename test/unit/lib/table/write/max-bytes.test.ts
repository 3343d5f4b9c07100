import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TableFullError } from '../../../../../src/lib/table/errors.ts';
import type { NewRow, Schema } from '../../../../../src/lib/table/schema/column.ts';
import { CHUNK_SLOTS } from '../../../../../src/lib/table/state/mask.ts';
import { Table } from '../../../../../src/lib/table/table.ts';
import type { TableOptions } from '../../../../../src/lib/table/table-types.ts';
import { LONG, Random, SEED } from '../../../../support/random.ts';
import { idsOf } from '../support/rows.ts';

const schema = {
  id: { kind: 'integer', identity: { from: 1, to: 999_999 } },
  title: { kind: 'text', index: 'substring' },
} as const satisfies Schema;

const MAX_BYTES = 200_000;

type Titles = Table<typeof schema>;

const numbered = (i: number) => `Title number ${i}`;

function isFull(error: unknown): boolean {
  return (
    error instanceof TableFullError &&
    error.bound === 'bytes' &&
    error.message === `the table would take more than its maximum of ${error.limit} bytes`
  );
}

/** Inserts rows until there is no memory for another one. Returns their number. */
function fillWith(rows: Pick<Titles, 'insert'>, title: (i: number) => string = numbered): number {
  for (let count = 0; ; count++) {
    try {
      rows.insert({ title: title(count) });
    } catch (error) {
      assert.ok(isFull(error), String(error));
      return count;
    }
  }
}

function full(maxBytes = MAX_BYTES, title = numbered): Titles {
  const table = new Table(schema, { maxBytes });
  fillWith(table, title);
  return table;
}

describe('a table with a maximum of bytes', () => {
  it('refuses a row that does not fit, and loses no id', () => {
    const table = full();
    const { size } = table;
    assert.ok(size > 500 && size < 2500, `${size} rows`);
    assert.ok(table.stats().bytes.total <= MAX_BYTES);
    assert.throws(() => table.insert({ title: 'x'.repeat(1000) }), { limit: MAX_BYTES });
    assert.equal(table.size, size);
    for (let id = 1; id <= size / 2; id++) table.delete(id);
    assert.equal(table.insert({ title: numbered(1) }).id, size + 1);
  });

  it('takes rows up to its maximum exactly, and not a byte more', () => {
    const withMask = {
      ...schema,
      done: { kind: 'boolean', default: false },
    } as const;
    for (const [columns, title] of [
      [schema, 'a title'],
      [schema, 'ein längerer Titel'],
      [withMask, 'a title'],
    ] as const) {
      const free = new Table<typeof schema>(columns);
      free.insert({ title });
      const maxBytes = free.bytes;
      const table = new Table<typeof schema>(columns, { maxBytes });
      table.insert({ title });
      assert.equal(table.bytes, maxBytes);
      assert.throws(() => table.update(1, { title: `${title}, which is longer` }), isFull);
      const smaller = new Table<typeof schema>(columns, { maxBytes: maxBytes - 1 });
      assert.throws(() => smaller.insert({ title }), isFull);
      assert.throws(() => smaller.empty().insert({ title }), isFull);
    }
  });

  it('takes an update that makes no row larger, even if a cursor keeps the previous one', () => {
    const table = full();
    const cursor = table.cursor();
    assert.equal(table.update(1, { title: numbered(9) })?.title, numbered(9));
    assert.ok(table.bytes > MAX_BYTES, `${table.bytes} bytes`);
    assert.throws(() => table.update(1, { title: `${numbered(9)}, which is longer` }), isFull);
    cursor.close();
  });

  it('counts the row before an update if a cursor keeps it', () => {
    const [title, longer] = ['x'.repeat(MAX_BYTES / 2), 'x'.repeat(MAX_BYTES / 2 + 100)];
    const table = new Table(schema, { maxBytes: MAX_BYTES });
    table.insert({ title });
    const cursor = table.cursor();
    assert.throws(() => table.update(1, { title: longer }), isFull);
    cursor.close();
    assert.equal(table.update(1, { title: longer })?.title, longer);
  });

  it('stores rows while a cursor keeps earlier versions of a few', () => {
    const maxBytes = Math.floor(manyItems().bytes / 0.6);
    const table = manyItems({ maxBytes });
    const cursor = table.cursor();
    for (let i = 0; i < 20; i++) {
      const id = 1 + i * CHUNK_SLOTS;
      table.update(id, { completed: !table.find(id)?.row.completed });
    }
    const { snapshotBytes } = table;
    assert.ok(snapshotBytes > 2_000 && snapshotBytes < 5_000, `${snapshotBytes} bytes`);
    table.insert({ title: 'next', completed: false, priority: 1, due: 1 });
    assert.equal([...cursor].length, table.size - 1);
  });

  it('counts what cursors keep after a row was refused, however much is written at once', () => {
    const table = new Table(schema, { maxBytes: MAX_BYTES });
    table.insert({ title: 'x' });
    assert.throws(() => table.insert({ title: 'x'.repeat(MAX_BYTES) }), isFull);
    const cursor = table.cursor();
    const insertAll = () => {
      for (let i = 0; i < 100; i++) table.insert({ title: 'x'.repeat(10_000) });
    };
    assert.throws(() => table.transaction(insertAll), isFull);
    assert.ok(table.snapshotBytes >= 0 && table.bytes <= MAX_BYTES, `${table.bytes} bytes`);
    cursor.close();
    assert.equal(table.size, 1);
  });

  it('can be replaced by rows that fit by themselves', () => {
    const table = full();
    for (const title of ['Title', 'ß'.repeat(500)]) {
      const other = table.empty();
      const count = fillWith(other, () => title);
      table.become(other);
      assert.ok(table.bytes <= MAX_BYTES, `${table.bytes} bytes`);
      assert.equal(table.size, count);
      assert.equal(table.idsAssigned, BigInt(count), 'a row that is refused takes no id');
      assert.equal(table.search((t) => [t.title.eq(title)]).length, count);
    }
  });
});

/** Columns as of items, with every kind of index. */
const items = {
  id: { kind: 'integer', identity: { from: 1, to: 2 ** 31 - 1 } },
  title: { kind: 'text', index: 'substring' },
  description: { kind: 'text', nullable: true, index: 'substring' },
  completed: { kind: 'boolean' },
  priority: { kind: 'integer' },
  due: { kind: 'integer' },
} as const satisfies Schema;

/** Makes a table of 40 chunks. */
function manyItems(options: TableOptions = {}): Table<typeof items> {
  const table = new Table(items, options);
  for (let i = 1; i <= 40 * CHUNK_SLOTS; i++) {
    const title = `item ${i}`;
    table.insert({ title, description: 'as usual', completed: false, priority: i % 5, due: i });
  }
  return table;
}

type Letters = (random: Random) => number;

const LETTERS: Readonly<Record<string, Letters>> = {
  'words in ASCII': (random) => 97 + random.below(26),
  'words in Greek': (random) => 0x391 + random.below(17),
  'words in Chinese': (random) => 0x4e00 + random.below(3000),
};

/** Makes rows of words that have hardly been used before. */
function itemsOf(random: Random, letter: Letters): () => NewRow<typeof items> {
  const word = () =>
    String.fromCodePoint(...Array.from({ length: 2 + random.below(8) }, () => letter(random)));
  return () => ({
    title: `${word()} ${word()}`,
    description: random.chance(5) ? null : random.list(8, word).join(' '),
    completed: random.chance(2),
    priority: 1 + random.below(5),
    due: random.below(1_000_000),
  });
}

/** Inserts rows until the table is full, and checks that none makes it too large. */
function fill(table: Table<typeof items>, maxBytes: number, item: () => NewRow<typeof items>) {
  try {
    for (;;) {
      table.insert(item());
      assert.ok(table.bytes <= maxBytes, `${table.bytes} of ${maxBytes} bytes`);
    }
  } catch (error) {
    if (!(error instanceof TableFullError)) throw error;
    assert.ok(table.bytes <= maxBytes, `${table.bytes} of ${maxBytes} bytes`);
  }
}

describe('a full table', () => {
  const ROUNDS = LONG ? 10 : 2;
  const KEPT = 20;

  for (const [what, letter] of Object.entries(LETTERS)) {
    // The texts of the first rows of a chunk decide how large its signature is.
    const sizes = LONG ? [1_000_000, 4_000_000, 10_000_000] : [1_000_000];
    for (const [maxBytes, share] of sizes.map((size) => [size, size < 2e6 ? 0.85 : 0.9] as const)) {
      it(`has room again when most rows are deleted: ${what}, ${maxBytes} (seed ${SEED})`, () => {
        const random = new Random(SEED);
        const table = new Table(items, { maxBytes });
        const item = itemsOf(random, letter);
        fill(table, maxBytes, item);
        const first = table.size;
        for (let round = 1; round <= ROUNDS; round++) {
          const ids = idsOf(table.search());
          const kept = new Set(Array.from({ length: KEPT }, () => ids[random.below(ids.length)]));
          if (round % 2 === 0) for (const id of ids) if (!kept.has(id)) table.delete(id);
          if (round % 2 === 1) table.remove((t) => [t.id.notIn([...kept].map(Number))]);
          assert.equal(table.size, kept.size);
          assert.ok(table.bytes < maxBytes / 4, `${table.bytes} bytes of ${KEPT} rows`);
          fill(table, maxBytes, item);
          assert.ok(table.size >= share * first, `${table.size} rows instead of ${first}`);
        }
      });
    }

    it(`stays as large as it is while its texts change for ever: ${what} (seed ${SEED})`, () => {
      const random = new Random(SEED);
      const maxBytes = 300_000;
      const table = new Table(items, { maxBytes });
      const item = itemsOf(random, letter);
      fill(table, maxBytes, item);
      const ids = idsOf(table.search());
      let most = table.bytes;
      let refused = 0;
      const updates = (LONG ? 100 : 4) * ids.length;
      for (let i = 0; i < updates; i++) {
        const id = ids[random.below(ids.length)] ?? 1;
        try {
          table.update(id, item());
        } catch (error) {
          if (!(error instanceof TableFullError)) throw error;
          refused++;
        }
        most = Math.max(most, table.bytes);
      }
      // It has three chunks, whose signatures are renewed now and then.
      assert.ok(most <= 1.05 * maxBytes, `${most} bytes`);
      // In a full table, a text can grow only after other texts have become shorter.
      assert.ok(refused < updates / 5, `${refused} of ${updates} updates were refused`);
    });
  }
});
