import { TableFullError } from '../errors.ts';
import type { Schema, StoredRow } from '../schema/column.ts';
import type { Integer } from '../schema/integer.ts';
import { asRow, newRow, type ResolvedSchema } from '../schema/resolved-schema.ts';
import { Chunk, type ChunkWrite, type Write, writesOf } from '../state/chunk.ts';
import { entryOf, type PendingCommit } from '../state/entry.ts';
import { emptyState, find, type State, stateWith } from '../state/state.ts';
import type { Change, ChangeList, Commit } from './commit.ts';

/** Bound when this module is loaded, because tests may replace it later. */
const throwLater = globalThis.queueMicrotask;

/** The limits of a table. They can change at any time; rows that exceed a new limit stay. */
export interface Limits {
  maxRows: number;
  /** Compared with computed bytes, which are not measured. */
  maxBytes: number;
}

/**
 * The current state of a table, and the transactions that change it. A write makes the next state.
 * A transaction that fails restores the state in which it began.
 */
export class Transactions<S extends Schema> {
  readonly schema: ResolvedSchema;
  readonly limits: Limits;
  /** The number of the last commit that has been delivered. */
  committed = 0;
  readonly listeners: ((commit: Commit<S>) => void)[] = [];
  state: State;
  /** The nesting of running transactions; 0 if none is running. */
  depth = 0;
  /** The number that the commit of the running transaction will have. */
  #number = 0;
  /** The writes of the running transaction. A row may be written several times. */
  #writes: (Write | ChunkWrite)[] = [];

  constructor(schema: ResolvedSchema, limits: Limits) {
    this.schema = schema;
    this.limits = limits;
    this.state = emptyState(schema);
  }

  /** The number of the last commit, or of the running transaction if it has written. */
  get lastCommit(): number {
    return this.#writes.length > 0 ? this.#number : this.committed;
  }

  /**
   * Makes the row of a new id, without storing it.
   * @throws ColumnError, TableFullError if there are too many rows, IdsExhaustedError
   */
  rowFor(values: object, id: Integer): StoredRow {
    const { maxRows } = this.limits;
    if (this.state.size >= maxRows) throw new TableFullError('rows', maxRows);
    this.schema.identity.checkNext(id);
    return newRow(this.schema, id, values);
  }

  /**
   * Sets or deletes a row, in a transaction of its own unless one is running.
   * @throws TableFullError when the table exceeds `maxBytes`, and the row has grown
   */
  commitRow(id: Integer, row: StoredRow | undefined, nextId = this.state.nextId): void {
    this.run(() => {
      const growth = this.setRow(id, row);
      if (nextId !== this.state.nextId) this.state = { ...this.state, nextId };
      this.#checkBytes(growth);
    });
  }

  /** Within a transaction, sets or deletes a row. Returns the growth of the row, in bytes. */
  setRow(id: Integer, row: StoredRow | undefined, commit = this.#number): number {
    const before = find(this.state, id);
    const after = row && entryOf(this.schema, id, row, commit, before);
    if (!before && !after) return 0;
    const write = { before, after };
    this.state = stateWith(this.state, id, write);
    this.#writes.push(write);
    return (after?.bytes ?? 0) - (before?.bytes ?? 0);
  }

  /**
   * Runs a transaction that makes a state current.
   * @param written the chunks that differ in it
   * @param growth the growth of the rows, in bytes
   * @param commit receives the number of the commit
   * @throws TableFullError when the table exceeds `maxBytes`, and the rows have grown
   */
  commitState(
    state: State,
    written: readonly ChunkWrite[],
    growth: number,
    commit: PendingCommit,
  ): void {
    this.run(() => {
      commit.number = this.#number;
      this.state = state;
      for (const write of written) this.#writes.push(write);
      this.#checkBytes(growth);
    });
  }

  /**
   * @throws TableFullError when there are too many bytes, and rows have grown
   */
  #checkBytes(growth: number): void {
    const { maxBytes } = this.limits;
    if (growth > 0 && this.state.bytes > maxBytes) throw new TableFullError('bytes', maxBytes);
  }

  /**
   * Runs a transaction. A nested one is part of the outer one, but can fail on its own.
   * @param number the number of its commit, if it is not nested
   */
  run<T>(work: () => T, number = this.committed + 1): T {
    const { state } = this;
    const writes = this.#writes.length;
    if (this.depth++ === 0) this.#number = number;
    let isKept = false;
    let result: T;
    try {
      result = work();
      isKept = true;
    } finally {
      this.depth--;
      if (!isKept) {
        this.#writes.length = writes;
        this.state = state;
      }
    }
    if (this.depth === 0 && this.#writes.length > 0) this.#commit(number);
    return result;
  }

  /**
   * Calls every listener with the commit. An error is thrown later, uncaught, so that the others are
   * called.
   */
  #commit(number: number): void {
    const commit = { number, changes: new Changes<S>(this.#writes) };
    this.#writes = [];
    this.committed = number;
    for (const listener of this.listeners) {
      try {
        listener(commit);
      } catch (error) {
        throwLater(() => {
          throw error;
        });
      }
    }
  }
}

/** Returns the number of rows that are written. */
function rowsIn(write: Write | ChunkWrite): number {
  return isChunkWrite(write) ? write.count : 1;
}

function isChunkWrite(write: Write | ChunkWrite): write is ChunkWrite {
  return write.before instanceof Chunk;
}

/** The changes of writes. */
class Changes<S extends Schema> implements ChangeList<S> {
  readonly length: number;
  readonly #writes: readonly (Write | ChunkWrite)[];

  constructor(writes: readonly (Write | ChunkWrite)[]) {
    this.#writes = writes;
    this.length = writes.reduce((rows, write) => rows + rowsIn(write), 0);
  }

  *[Symbol.iterator](): Generator<Change<S>, void> {
    for (const { before, after } of writesOfRows(this.#writes)) {
      const old = before && asRow<S>(before.row);
      if (after) yield { put: asRow<S>(after.row), before: old };
      else if (old) yield { deleted: old };
    }
  }
}

function* writesOfRows(writes: readonly (Write | ChunkWrite)[]): Generator<Write, void> {
  for (const write of writes) {
    if (isChunkWrite(write)) yield* writesOf(write);
    else yield write;
  }
}

/** The type that a transaction may return: anything but a promise. */
export type Synchronous =
  | (object & { readonly then?: undefined })
  | string
  | number
  | bigint
  | boolean
  | symbol
  | null
  | undefined
  // biome-ignore lint/suspicious/noConfusingVoidType: callbacks may return nothing
  | void;
