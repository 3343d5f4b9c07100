import { countBits, isEmpty, type Mask, positionsIn } from '../bits.ts';
import { type Located, locate, type PageSwap, type Pages } from '../pages/page-list.ts';
import type { Schema, StoredRow } from '../schema/column.ts';
import { asRow } from '../schema/resolved-schema.ts';
import { type Change, type ChangeList, Commits } from './commit.ts';
import type { TableData } from './table-data.ts';

/** A write to one slot, with the rows before and after it, so that it can be undone. */
interface RowWrite {
  readonly slot: number;
  readonly before: StoredRow | undefined;
  readonly after: StoredRow | undefined;
  /** The number of the commit that wrote the row before. */
  readonly revisionBefore: number;
}

/** The deletion, or the change, of rows of a page, whose positions are in the mask. */
export interface PageWrite extends PageSwap {
  readonly mask: Mask;
  /** The rows after it, in order of their positions: none if they are deleted. */
  readonly after: readonly StoredRow[];
}

type Write = RowWrite | PageWrite;

/** Where a transaction began: how many writes there were, and the next slot. */
interface Mark {
  readonly writes: number;
  readonly nextSlot: number;
}

/**
 * Runs transactions, and undoes their writes in reverse order when they fail, whichever step did:
 * undoing is idempotent even for writes that have not run.
 */
export class Transactions<S extends Schema> {
  readonly commits = new Commits<S>();
  readonly #data: TableData;
  #writes: Write[] = [];
  /** How many transactions are running, one within the other. */
  depth = 0;
  /** The number that the commit of the running transaction will have. */
  #number = 0;

  /** @param data what to write to, which no replacement may change in a transaction */
  constructor(data: TableData) {
    this.#data = data;
  }

  get hasWritten(): boolean {
    return this.#writes.length > 0;
  }

  /** Runs a transaction that only puts or deletes a row, as {@link put} does. */
  write(located: Located, after: StoredRow | undefined): void {
    this.run(() => this.put(located, after));
  }

  /** In a transaction, puts a row somewhere, or deletes the one that is there, if any. */
  put(located: Located, after: StoredRow | undefined): void {
    const { slot, row: before } = located;
    if (!before && !after) return;
    const data = this.#data;
    const revisionBefore = before ? data.revisionOf(located) : 0;
    this.#writes.push({ slot, before, after, revisionBefore });
    if (slot >= data.nextSlot) data.nextSlot = slot + 1;
    data.pages.put(located, after, this.#number);
  }

  /** The pages to write to, which others may replace between transactions. */
  get pages(): Pages {
    return this.#data.pages;
  }

  /**
   * Puts pages in the place of current ones, in a transaction.
   * @throws TableFullError when that exceeds `maxBytes`, unless their rows do not grow
   */
  writePages(writes: readonly PageWrite[], number?: number): void {
    const effective = writes.filter(({ page, mask }) => !isEmpty(mask, page.words));
    this.run(() => {
      this.#data.checkRoomForPages(effective);
      for (const each of effective) {
        const { mask, newer, after } = each;
        this.#writes.push(each);
        if (after.length > 0) newer.setRevisions(mask, this.#number);
        this.#data.pages.swap(each, mask);
      }
    }, number);
  }

  /**
   * Runs a transaction. A nested one is part of the outer one, but can be undone on its own.
   * @param isRehearsal whether to undo it in any case
   */
  run<T>(work: () => T, number = this.commits.version + 1, isRehearsal = false): T {
    const { nextSlot } = this.#data;
    const mark = { writes: this.#writes.length, nextSlot };
    if (this.depth++ === 0) this.#number = number;
    let isUndone = true;
    let result: T;
    try {
      result = work();
      if (this.depth === 1 && !isRehearsal) this.#data.pages.tidy();
      isUndone = isRehearsal;
    } finally {
      if (isUndone) this.#undo(mark);
      if (--this.depth === 0 && isUndone) this.#data.pages.tidy();
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

  #undo({ writes, nextSlot }: Mark): void {
    for (const write of this.#writes.splice(writes).reverse()) {
      for (const { slot, before, revisionBefore } of rowWritesOf(write)) {
        this.#data.pages.put(locate(this.pages, slot), before, revisionBefore);
      }
    }
    this.#data.nextSlot = nextSlot;
  }
}

function rowWritesOf(write: Write): readonly RowWrite[] {
  if ('slot' in write) return [write];
  const { page, mask, after } = write;
  return positionsIn(mask, page.words).map((at, i) => {
    const [before, revisionBefore] = [page.rows[at], page.revisionAt(at)];
    return { slot: page.slotAt(at), before, after: after[i], revisionBefore };
  });
}

/** Returns the changes of writes; those of many are listed only while they are being read. */
function changesOf<S extends Schema>(writes: readonly Write[]): ChangeList<S> {
  const [first] = writes;
  if (first && 'slot' in first && writes.length === 1) return [changeOf<S>(first)];
  const lengthOf = (each: Write) => ('slot' in each ? 1 : countBits(each.mask));
  return {
    length: writes.reduce((sum, each) => sum + lengthOf(each), 0),
    *[Symbol.iterator](): Generator<Change<S>, void> {
      for (const write of writes) for (const each of rowWritesOf(write)) yield changeOf<S>(each);
    },
  };
}

function changeOf<S extends Schema>({ before, after }: RowWrite): Change<S> {
  const old = before && asRow<S>(before);
  if (after) return { put: asRow<S>(after), before: old };
  if (old) return { deleted: old };
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
  // biome-ignore lint/suspicious/noConfusingVoidType: callbacks that return nothing are meant
  | void;
