import { positionsIn } from '../bits.ts';
import type { LeafWrite, Place } from '../rows/leaves.ts';
import type { Schema, StoredRow } from '../schema/column.ts';
import type { Integer } from '../schema/integer.ts';
import { asRow } from '../schema/resolved-schema.ts';
import { LEAF_WORDS } from '../slots.ts';
import { type Change, type ChangeList, Commits } from './commit.ts';
import type { TableData } from './table-data.ts';

/** The row that was put at a place; undefined if the row there was deleted. */
interface RowWrite {
  readonly place: Place;
  readonly after: StoredRow | undefined;
}

type Write = RowWrite | LeafWrite;

/**
 * Runs transactions. When one fails at any step, undoes its writes in reverse order. Undoing is
 * idempotent, even for writes that have not run.
 */
export class Transactions<S extends Schema> {
  readonly commits = new Commits<S>();
  /** The data to write to. Only between transactions, a replacement may replace its leaves. */
  readonly data: TableData;
  #writes: Write[] = [];
  /** The nesting of running transactions; 0 if none is running. */
  depth = 0;
  /** The number that the commit of the running transaction will have. */
  #commitNumber = 0;

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
    place: Place,
    after: StoredRow | undefined,
    nextId = this.data.nextId,
    commitNumber?: number,
  ): void {
    this.run(() => {
      if (this.put(place, after) > 0) this.data.checkBytes();
      this.data.nextId = nextId;
    }, commitNumber);
  }

  /**
   * Within a transaction, puts a row at a place, or deletes the row there.
   * @returns the growth of the rows with their values, in bytes
   */
  put(place: Place, after: StoredRow | undefined): number {
    if (!place.row && !after) return 0;
    this.#writes.push({ place, after });
    return this.data.leaves.put(place, after, this.#commitNumber);
  }

  /**
   * Replaces leaves, in a transaction.
   * @throws TableFullError when that exceeds `maxBytes`, unless their rows do not grow
   */
  writeLeaves(writes: readonly LeafWrite[]): void {
    this.run(() => {
      let growth = 0;
      for (const each of writes) {
        const { leaf, newer } = each;
        this.#writes.push(each);
        if (newer) newer.revision = this.#commitNumber;
        growth += (newer?.rowBytes ?? 0) - leaf.rowBytes;
      }
      this.data.leaves.swap(writes);
      if (growth > 0) this.data.checkBytes();
    });
  }

  /**
   * Runs a transaction. A nested one is part of the outer one, but can be undone on its own.
   * @param isDryRun rolls it back even if it succeeds
   */
  run<T>(work: () => T, commitNumber = this.commits.version + 1, isDryRun = false): T {
    const { nextId } = this.data;
    const count = this.#writes.length;
    if (this.depth++ === 0) this.#commitNumber = commitNumber;
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
      this.commits.version = commitNumber;
      this.commits.count++;
      this.commits.deliver(commitNumber, () => changesOf<S>(writes));
    }
    return result;
  }

  /** The changes of the running transaction, without the first `count`. */
  writtenAfter(count: number): readonly Change<S>[] {
    return [...changesOf<S>(this.#writes)].slice(count);
  }

  /** Undoes the writes after the first `count`. */
  #undo(count: number, nextId: Integer): void {
    const { leaves } = this.data;
    const undone = this.#writes.splice(count).reverse();
    for (const write of undone) {
      if ('leaf' in write) leaves.restore(write);
      else {
        const { leafNumber, at, row, revision } = write.place;
        leaves.put(leaves.placeAt(leafNumber, at), row, revision);
      }
    }
    leaves.recompute(undone.flatMap((write) => ('place' in write ? write.place.leafNumber : [])));
    this.data.nextId = nextId;
  }
}

type RowChange = readonly [before: StoredRow | undefined, after: StoredRow | undefined];

function rowChangesOf(write: Write): readonly RowChange[] {
  if ('place' in write) return [[write.place.row, write.after]];
  const { leaf, mask, after } = write;
  return positionsIn(mask, 0, LEAF_WORDS).map((at, i) => [leaf.rowAt(at), after[i]]);
}

/** Returns the changes of writes. With several writes, creates them during iteration. */
function changesOf<S extends Schema>(writes: readonly Write[]): ChangeList<S> {
  const [first] = writes;
  if (first && 'place' in first && writes.length === 1) {
    return [changeOf<S>([first.place.row, first.after])];
  }
  const lengthOf = (each: Write) => ('leaf' in each ? each.written : 1);
  return {
    length: writes.reduce((sum, each) => sum + lengthOf(each), 0),
    *[Symbol.iterator](): Generator<Change<S>, void> {
      for (const write of writes) for (const each of rowChangesOf(write)) yield changeOf<S>(each);
    },
  };
}

function changeOf<S extends Schema>([row, after]: RowChange): Change<S> {
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
