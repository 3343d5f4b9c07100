import { positionsIn } from '../bits.ts';
import { type LeafWrite, type Located, locate } from '../rows/chunk-list.ts';
import type { Schema, StoredRow } from '../schema/column.ts';
import type { Integer } from '../schema/integer.ts';
import { asRow } from '../schema/resolved-schema.ts';
import { LEAF_WORDS } from '../slots.ts';
import { type Change, type ChangeList, Commits } from './commit.ts';
import type { TableData } from './table-data.ts';

type Write = Located | LeafWrite;

/**
 * Runs transactions. When one fails at any step, undoes its writes in reverse order. Undoing is
 * idempotent, even for writes that have not run.
 */
export class Transactions<S extends Schema> {
  readonly commits = new Commits<S>();
  /** The data to write to. Only between transactions, a replacement may replace its chunks. */
  readonly data: TableData;
  #writes: Write[] = [];
  /** The nesting of running transactions; 0 if none is running. */
  depth = 0;
  /** The number that the commit of the running transaction will have. */
  #number = 0;

  constructor(data: TableData) {
    this.data = data;
  }

  get hasWritten(): boolean {
    return this.#writes.length > 0;
  }

  /**
   * Runs a transaction that only puts or deletes a row.
   * @throws TableFullError when a row that has grown exceeds `maxBytes`
   */
  write(
    located: Located,
    after: StoredRow | undefined,
    nextId = this.data.nextId,
    number?: number,
  ): void {
    this.run(() => {
      if (this.put(located, after) > 0) this.data.checkBytes();
      this.data.nextId = nextId;
    }, number);
  }

  /**
   * Within a transaction, puts a row at a place, or deletes the row there.
   * @returns the growth of the rows with their values, in bytes
   */
  put(located: Located, after: StoredRow | undefined): number {
    if (!located.row && !after) return 0;
    located.after = after;
    this.#writes.push(located);
    return this.data.chunks.put(located, after, this.#number);
  }

  /**
   * Replaces leaves, in a transaction.
   * @throws TableFullError when that exceeds `maxBytes`, unless their rows do not grow
   */
  writeLeaves(writes: readonly LeafWrite[]): void {
    this.run(() => {
      const { chunks } = this.data;
      let growth = 0;
      for (const each of writes) {
        const { mask, leaf, newer, after } = each;
        this.#writes.push(each);
        if (after.length > 0) newer?.setRevisions(mask, this.#number);
        growth += (newer?.rowBytes ?? 0) - leaf.rowBytes;
        chunks.swap(each);
      }
      if (growth > 0) this.data.checkBytes();
    });
  }

  /**
   * Runs a transaction. A nested one is part of the outer one, but can be undone on its own.
   * @param isDryRun rolls it back even if it succeeds
   */
  run<T>(work: () => T, number = this.commits.version + 1, isDryRun = false): T {
    const { nextId } = this.data;
    const count = this.#writes.length;
    if (this.depth++ === 0) this.#number = number;
    let isUndone = true;
    let result: T;
    try {
      result = work();
      isUndone = isDryRun;
    } finally {
      if (isUndone) this.#undo(count, nextId);
      this.depth--;
    }
    if (this.depth === 0 && this.#writes.length > 0) {
      const writes = this.#writes;
      this.#writes = [];
      this.commits.version = number;
      this.commits.count++;
      this.commits.deliver(number, () => changesOf<S>(writes));
    }
    return result;
  }

  /** The changes of the running transaction, without the first `count`. */
  writtenAfter(count: number): readonly Change<S>[] {
    return [...changesOf<S>(this.#writes)].slice(count);
  }

  /** Undoes the writes after the first `count`. */
  #undo(count: number, nextId: Integer): void {
    const { chunks } = this.data;
    const undone = this.#writes.splice(count).reverse();
    const places: Located[] = [];
    for (const write of undone) {
      if ('leaf' in write) chunks.restore(write);
      else {
        chunks.put(locate(chunks, write.number, write.offset), write.row, write.revision);
        places.push(write);
      }
    }
    if (undone.length > 0) chunks.recount(places);
    this.data.nextId = nextId;
  }
}

type RowWrite = Pick<Located, 'row' | 'after'>;

function rowsOf(write: Write): readonly RowWrite[] {
  if (!('leaf' in write)) return [write];
  const { leaf, mask, after } = write;
  return positionsIn(mask, 0, LEAF_WORDS).map((at, i) => {
    return { row: leaf.rowAt(at), after: after[i] };
  });
}

/** Returns the changes of writes. With several writes, creates them during iteration. */
function changesOf<S extends Schema>(writes: readonly Write[]): ChangeList<S> {
  const [first] = writes;
  if (first && !('leaf' in first) && writes.length === 1) return [changeOf<S>(first)];
  const lengthOf = (each: Write) => ('leaf' in each ? each.count : 1);
  return {
    length: writes.reduce((sum, each) => sum + lengthOf(each), 0),
    *[Symbol.iterator](): Generator<Change<S>, void> {
      for (const write of writes) for (const each of rowsOf(write)) yield changeOf<S>(each);
    },
  };
}

function changeOf<S extends Schema>({ row, after }: RowWrite): Change<S> {
  const before = row && asRow<S>(row);
  if (after) return { put: asRow<S>(after), before };
  if (before) return { deleted: before };
  throw new TypeError('a write has a row before it or after it');
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
