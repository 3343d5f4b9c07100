import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ReplacementError } from '../../src/table/errors.ts';
import type { Cursor } from '../../src/table/query/cursor.ts';
import type { ReadView } from '../../src/table/read-view.ts';
import { Table } from '../../src/table/table.ts';
import {
  type Command,
  type CursorQuery,
  command,
  schema,
  type Todo,
  type Values,
} from './support/model-commands.ts';
import { LONG, SEED } from './support/random.ts';

/** The table, and a plain array as its model. */
class Pair {
  /**
   * According to the clock, every step is over at once, so that other operations come between the
   * steps of a cursor.
   */
  readonly table = new Table(schema, {
    clock: () => ++this.#time,
  });
  #time = 0;
  readonly #held: { readonly view: ReadView<typeof schema>; readonly rows: readonly Todo[] }[] = [];
  readonly #cursors: {
    readonly cursor: Cursor<typeof schema>;
    readonly rows: Todo[];
    readonly expected: readonly Todo[];
    readonly total: number;
  }[] = [];
  readonly #replica = new Map<number, Todo>();
  #rows: readonly Todo[] = [];
  #nextId = 1;
  #commits = 0;
  #depth = 0;

  constructor() {
    this.table.onCommit(({ number, changes, isReplacement }) => {
      assert.equal(number, ++this.#commits);
      if (isReplacement) {
        this.#replica.clear();
        for (const row of this.table.search()) this.#replica.set(row.id, row);
      }
      for (const { put, deleted } of changes) {
        if (put) this.#replica.set(put.id, put);
        if (deleted) assert.ok(this.#replica.delete(deleted.id));
      }
    });
  }

  run(command: Command): void {
    switch (command.do) {
      case 'insert':
        this.#insert(command.values);
        return;
      case 'insertMany':
        this.table.transaction(() => {
          for (let i = 0; i < command.count; i++) this.#insert(command.values);
        });
        return;
      case 'update': {
        const id = this.#idOf(command.which);
        this.#rows = this.#rows.map((row) => (row.id === id ? { ...row, ...command.values } : row));
        const expected = this.#rows.find((row) => row.id === id);
        assert.deepEqual(this.table.update(id, command.values), expected);
        return;
      }
      case 'delete': {
        const id = this.#idOf(command.which);
        assert.equal(this.table.delete(id), this.#keep((row) => row.id !== id) > 0);
        return;
      }
      case 'remove': {
        const removed = this.table.remove((t) => [
          t.title.containsIgnoreCase(command.word),
          t.priority.gte(command.priority),
        ]);
        assert.equal(
          removed,
          this.#keep((row) => !matches(row, command.word, command.priority)),
        );
        return;
      }
      case 'removeAll':
        assert.equal(
          this.table.removeAll(),
          this.#keep(() => false),
        );
        return;
      case 'replace':
        this.#replace(command.with);
        return;
      case 'transaction':
        this.#transaction(command.commands, command.fails);
        return;
      case 'snapshot':
        this.#held.push({ view: this.table.snapshot(), rows: this.#rows });
        return;
      case 'cursor':
        this.#open(command.query);
        return;
      case 'steps':
        for (const { cursor, rows } of this.#cursors) {
          for (let i = 0; i < command.count; i++) rows.push(...(cursor.next().value ?? []));
        }
        return;
    }
  }

  check(): void {
    const { table } = this;
    assert.deepEqual(table.search(), this.#rows);
    assert.equal(table.size, this.#rows.length);
    assert.equal(table.version, this.#commits);
    assert.deepEqual(
      [...this.#replica.values()].sort((a, b) => a.id - b.id),
      this.#rows,
    );
    for (const needle of ['alph', 'ss', '本語']) {
      const expected = this.#rows.filter((row) => matches(row, needle, 0));
      assert.deepEqual(
        table.search((t) => [t.title.containsIgnoreCase(needle)]),
        expected,
      );
    }
    for (const note of ['a', 'c']) {
      const expected = this.#rows.filter((row) => row.note === note);
      assert.deepEqual(
        table.search((t) => [t.note.eq(note)]),
        expected,
      );
    }
    const byPriority = this.#rows.toSorted((a, b) => b.priority - a.priority).slice(0, 5);
    const orderBy = [{ column: 'priority', direction: 'desc' }] as const;
    assert.deepEqual(table.search([], { orderBy, limit: 5 }), byPriority);
  }

  /** Checks the snapshots and cursors that were kept open. */
  end(): void {
    for (const { view, rows } of this.#held) {
      assert.deepEqual(view.search(), rows);
      assert.equal(view.size, rows.length);
      const expected = rows.filter((row) => matches(row, 'alph', 2));
      const found = view.search((t) => [t.priority.gte(2), t.title.containsIgnoreCase('alph')]);
      assert.deepEqual(found, expected);
    }
    for (const { cursor, rows, expected, total } of this.#cursors) {
      assert.deepEqual([...rows, ...cursor], expected);
      assert.equal(cursor.total, total);
    }
  }

  #open({ needle, priority, column, direction, offset, limit }: CursorQuery): void {
    const where = [
      { op: 'gte', column: 'priority', value: priority } as const,
      ...(needle ? [{ op: 'containsIgnoreCase', column: 'title', value: needle } as const] : []),
    ];
    const options = { orderBy: [{ column, direction }], offset, limit, total: true };
    const sign = direction === 'asc' ? 1 : -1;
    const found = this.#rows
      .filter((row) => matches(row, needle ?? '', priority))
      .sort((a, b) => sign * compareValues(a[column], b[column]) || a.id - b.id);
    this.#cursors.push({
      cursor: this.table.cursor(where, options),
      rows: [],
      expected: found.slice(offset, offset + limit),
      total: found.length,
    });
  }

  #insert(given: Values): void {
    const row = { id: this.#nextId++, ...given };
    this.#rows = [...this.#rows, row];
    assert.deepEqual(this.table.insert(given), row);
  }

  /** A transaction in progress is not affected. */
  #replace(values: readonly Values[]): void {
    const replacement = this.table.replacement();
    for (const each of values) replacement.insert(each);
    if (this.#depth > 0) {
      assert.throws(() => replacement.commit(), ReplacementError);
      return;
    }
    replacement.commit();
    this.#rows = values.map((each, i) => ({ id: i + 1, ...each }));
    this.#nextId = values.length + 1;
  }

  #transaction(commands: readonly Command[], fails: boolean): void {
    const before = { rows: this.#rows, nextId: this.#nextId };
    const failure = new Error('meant to fail');
    const work = () => {
      this.#depth++;
      for (const command of commands) this.run(command);
      this.#depth--;
      if (fails) throw failure;
    };
    if (!fails) {
      this.table.transaction(work);
      return;
    }
    assert.throws(() => this.table.transaction(work), failure);
    this.#rows = before.rows;
    this.#nextId = before.nextId;
  }

  #idOf(which: number): number {
    return this.#rows[which % (this.#rows.length + 1)]?.id ?? this.#nextId;
  }

  #keep(wanted: (row: Todo) => boolean): number {
    const before = this.#rows.length;
    this.#rows = this.#rows.filter(wanted);
    return before - this.#rows.length;
  }
}

function matches(row: Todo, needle: string, priority: number): boolean {
  const folded = row.title.toLowerCase().replaceAll('ß', 'ss');
  return row.priority >= priority && folded.includes(needle.toLowerCase());
}

/** Null sorts first. */
function compareValues(a: string | number | null, b: string | number | null): number {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? -1 : 1;
  return a < b ? -1 : 1;
}

test(`behaves like a plain array (seed ${SEED})`, () => {
  fc.assert(
    fc.property(fc.array(command, { minLength: 50, maxLength: 50 }), (commands) => {
      const pair = new Pair();
      for (const each of commands) {
        pair.run(each);
        pair.check();
      }
      pair.end();
    }),
    { seed: SEED, numRuns: LONG ? 2000 : 100 },
  );
});
