import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import type { Condition } from '../../../../src/lib/table/condition/condition.ts';
import { CommitError } from '../../../../src/lib/table/errors.ts';
import type { Cursor } from '../../../../src/lib/table/query/cursor.ts';
import { Table } from '../../../../src/lib/table/table.ts';
import type { BulkWrite } from '../../../../src/lib/table/write/bulk-write.ts';
import { LONG, SEED } from '../../../support/random.ts';
import {
  type Command,
  type CursorQuery,
  command,
  type Put,
  schema,
  type Todo,
  type Values,
} from './support/model-commands.ts';
import { found } from './support/reference.ts';
import { assertSame } from './support/rows.ts';
import { EVERY_ROW } from './support/tables.ts';

type Modification = Extract<Command, { readonly do: 'modify' | 'modification' }>;

/** The expected state of the table: its rows, each with its commit, and the next id. */
interface Model {
  readonly rows: readonly Todo[];
  readonly writtenIn: ReadonlyMap<number, number>;
  readonly nextId: number;
}

/** The table, and a plain array as its model. */
class Pair {
  /**
   * According to the clock, every step is over at once, so that other operations come between the
   * steps of a cursor or a removal.
   */
  table = new Table(schema, { clock: () => ++this.#time });
  #time = 0;
  readonly #cursors: {
    readonly cursor: Cursor<typeof schema>;
    readonly rows: Todo[];
    readonly expected: readonly Todo[];
    readonly total: number;
  }[] = [];
  readonly #bulkWrites: {
    readonly write: BulkWrite;
    readonly steps: Iterator<unknown>;
    /** Does the same to the model, and returns how many rows match. */
    readonly follow: () => number;
  }[] = [];
  /** The rows by their ids, as the changes of commits tell. */
  #replica = new Map<number, Todo>();
  #model: Model = { rows: [], writtenIn: new Map(), nextId: 1 };
  #commits = 0;
  #depth = 0;

  constructor() {
    this.#follow();
  }

  #follow(): void {
    this.table.onCommit(({ number, changes }) => {
      assert.equal(number, ++this.#commits);
      assert.equal([...changes].length, changes.length);
      for (const change of changes) {
        const { put, deleted } = change;
        if (put) {
          assert.equal(change.before, this.#replica.get(put.id));
          this.#replica.set(put.id, put);
        }
        if (deleted) assert.ok(this.#replica.delete(deleted.id));
      }
    });
  }

  run(command: Command): void {
    switch (command.do) {
      case 'insert':
        this.#insert(command.values, command.distance);
        return;
      case 'insertMany':
        this.#transaction(
          Array.from({ length: command.count }, () => ({ ...command, do: 'insert' })),
          false,
        );
        return;
      case 'update':
        this.#update(this.#idOf(command.which), command.values);
        return;
      case 'delete': {
        const id = this.#idOf(command.which);
        const isThere = this.#remove([{ op: 'eq', column: 'id', value: id }]) > 0;
        assert.equal(this.table.delete(id), isThere);
        return;
      }
      case 'remove': {
        const where = conditionsOf(command.word, command.priority);
        assert.equal(this.table.remove(where), this.#remove(where));
        return;
      }
      case 'removeAll':
        assert.equal(this.table.remove(EVERY_ROW), this.#remove([]));
        return;
      case 'removal': {
        const where = conditionsOf(command.word, command.priority);
        const write = this.table.removal(where);
        this.#bulkWrites.push({ write, steps: write.find(), follow: () => this.#remove(where) });
        return;
      }
      case 'modify': {
        const where = conditionsOf(command.word, command.priority);
        assert.equal(this.table.modify(where, command.values), this.#modify(command));
        return;
      }
      case 'modification': {
        const where = conditionsOf(command.word, command.priority);
        const write = this.table.modification(where, command.values);
        this.#bulkWrites.push({ write, steps: write.find(), follow: () => this.#modify(command) });
        return;
      }
      case 'endBulkWrite':
        this.#endBulkWrite(command.commits);
        return;
      case 'replay':
        this.#replay(command.puts, command.deletes);
        return;
      case 'transaction':
        this.#transaction(command.commands, command.fails);
        return;
      case 'fork':
        this.#fork(command.commands, command.isKept);
        return;
      case 'cursor':
        this.#open(command.query);
        return;
      case 'steps':
        for (let i = 0; i < command.count; i++) {
          for (const each of this.#cursors) {
            const { value = [] } = each.cursor.next();
            each.rows.push(...value);
          }
          for (const { steps } of this.#bulkWrites) steps.next();
        }
        return;
    }
  }

  check(): void {
    const { table } = this;
    const { rows, writtenIn, nextId } = this.#model;
    assertSame(table.search(), rows);
    assert.equal(table.size, rows.length);
    assert.equal(table.lastCommit, this.#commits);
    assert.equal(table.idsAssigned, BigInt(nextId - 1));
    assertSame(
      [...this.#replica.values()].sort((a, b) => a.id - b.id),
      rows,
    );
    for (const { id } of rows) assert.equal(table.find(id)?.commit, writtenIn.get(id));
    for (const where of [
      ...['alph', 'ss', '本語'].map((needle) => conditionsOf(needle, 0)),
      ...['a', 'c'].map((value) => [{ op: 'eq', column: 'note', value }] as const),
    ]) {
      assertSame(table.search(where), found(rows, where));
    }
    const largest = { orderBy: [{ column: 'priority', direction: 'desc' }], limit: 5 } as const;
    assertSame(table.search([], largest), found(rows, [], largest));
  }

  /** Checks the cursors that were kept open, which find the same rows once more, and that no bytes are left. */
  end(): void {
    for (const { cursor, rows, expected, total } of this.#cursors) {
      for (let step = cursor.next(); !step.done; step = cursor.next())
        rows.push(...(step.value ?? []));
      assertSame(rows, expected);
      assert.equal(cursor.total, total);
      cursor.restart();
      assertSame([...cursor], expected);
    }
    for (const { write } of this.#bulkWrites) write.close();
    this.table.remove(EVERY_ROW);
    assert.equal(this.table.bytes, 0);
  }

  #open({ needle, priority, column, direction, offset, limit }: CursorQuery): void {
    const where = conditionsOf(needle, priority);
    const options = { orderBy: [{ column, direction }], offset, limit };
    const { rows } = this.#model;
    this.#cursors.push({
      cursor: this.table.cursor(where, options),
      rows: [],
      expected: found(rows, where, options),
      total: found(rows, where).length,
    });
  }

  #insert(given: Values, distance: number): void {
    const id = this.#model.nextId + distance - 1;
    const row = distance === 1 ? this.table.insert(given) : this.table.insert(given, id);
    assert.deepEqual(row, { id, ...given });
    this.#change([...this.#model.rows, row], [row.id], row.id + 1);
  }

  #update(id: number, given: Partial<Values>): void {
    const { rows } = this.#model;
    const before = rows.find((row) => row.id === id);
    const after = this.table.update(id, given);
    assert.deepEqual(after, before && { ...before, ...given });
    if (!after) return;
    this.#change(
      rows.map((row) => (row === before ? after : row)),
      [id],
    );
  }

  /** Repeats a commit of another table, some of whose rows come after a gap. */
  #replay(puts: readonly Put[], deletes: readonly number[]): void {
    const { table } = this;
    if (this.#depth > 0) {
      assert.throws(() => table.replay([], 0n, 0), CommitError);
      return;
    }
    const rows = new Map(this.#model.rows.map((row) => [row.id, row]));
    let { nextId } = this.#model;
    const written = puts.map(({ which, values }) => {
      const id = which % 3 === 0 ? nextId + (which % 40) : this.#idOf(which);
      nextId = Math.max(nextId, id + 1);
      rows.set(id, { id, ...values });
      return { id, values };
    });
    const deleted = deletes.map((which) => ({ id: this.#idOf(which), values: undefined }));
    for (const { id } of deleted) rows.delete(id);
    table.replay([...written, ...deleted], BigInt(nextId - 1), table.lastCommit + 1);
    for (const { id } of written) {
      const row = table.find(id)?.row;
      assert.deepEqual(row, rows.get(id));
      if (row) rows.set(id, row);
    }
    const number = table.lastCommit;
    // Also if there was no row to delete.
    this.#commits = number;
    this.#change(
      [...rows.values()].sort((a, b) => a.id - b.id),
      [],
      nextId,
    );
    this.#written(
      written.map(({ id }) => id),
      number,
    );
  }

  #transaction(commands: readonly Command[], fails: boolean): void {
    const before = this.#model;
    const failure = new Error('meant to fail');
    const work = () => {
      this.#runAll(commands);
      if (fails) throw failure;
    };
    if (!fails) {
      this.table.transaction(work);
      return;
    }
    const { bytes } = this.table;
    assert.throws(() => this.table.transaction(work), failure);
    assert.equal(this.table.bytes, bytes);
    this.#model = before;
  }

  /** Goes on with a fork, and then with the table again unless the fork is kept. */
  #fork(commands: readonly Command[], isKept: boolean): void {
    if (this.#depth > 0) return;
    const [table, model, commits, replica] = [
      this.table,
      this.#model,
      this.#commits,
      this.#replica,
    ];
    this.table = table.fork();
    this.#replica = new Map(replica);
    this.#follow();
    for (const command of commands) {
      this.run(command);
      this.check();
    }
    if (isKept) return;
    [this.table, this.#model, this.#commits, this.#replica] = [table, model, commits, replica];
    this.check();
  }

  #runAll(commands: readonly Command[]): void {
    this.#depth++;
    for (const command of commands) this.run(command);
    this.#depth--;
  }

  #endBulkWrite(commits: boolean): void {
    const [ended] = this.#bulkWrites;
    if (!ended) return;
    const { write, follow } = ended;
    this.#bulkWrites.shift();
    // The write may be of another fork.
    if (commits) assert.equal(this.table.commit(write), follow());
    // Within a transaction, its commit does not close it.
    write.close();
  }

  /** Changes rows of the model, and returns how many match. */
  #modify({ word, priority, values }: Modification): number {
    const matching = new Set(found(this.#model.rows, conditionsOf(word, priority)));
    const changed = this.#model.rows.map((row) =>
      matching.has(row) ? { ...row, ...values } : row,
    );
    const written = changed.filter((row, i) => !isDeepStrictEqual(row, this.#model.rows[i]));
    const rows = changed.map((row) => this.table.find(row.id)?.row ?? row);
    assert.deepEqual(rows, changed);
    this.#change(
      rows,
      written.map(({ id }) => id),
    );
    return matching.size;
  }

  /** Returns the id of one of the existing rows, or the next one. */
  #idOf(which: number): number {
    const { rows, nextId } = this.#model;
    return rows[which % (rows.length + 1)]?.id ?? nextId;
  }

  /** Removes rows of the model, and returns how many there were. */
  #remove(where: readonly Condition[]): number {
    const { rows } = this.#model;
    const removed = new Set(found(rows, where));
    this.#change(
      rows.filter((row) => !removed.has(row)),
      [],
    );
    return removed.size;
  }

  /** @param written the ids of rows that have been put */
  #change(rows: readonly Todo[], written: readonly number[], nextId = this.#model.nextId): void {
    this.#model = { ...this.#model, rows, nextId };
    // Outside of a transaction, the write has been committed already.
    this.#written(written, this.#depth > 0 ? this.#commits + 1 : this.#commits);
  }

  #written(ids: readonly number[], commit: number): void {
    const writtenIn = new Map(this.#model.writtenIn);
    for (const id of ids) writtenIn.set(id, commit);
    this.#model = { ...this.#model, writtenIn };
  }
}

function conditionsOf(needle: string | undefined, priority: number) {
  return [
    { op: 'gte', column: 'priority', value: priority },
    { op: 'ne', column: 'state', value: priority },
    ...(needle ? [{ op: 'containsIgnoreCase', column: 'title', value: needle } as const] : []),
  ] as const;
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
    { seed: SEED, numRuns: LONG ? 2000 : 10 },
  );
});
