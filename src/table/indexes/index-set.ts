import type { Layout } from '../schema/layout.ts';
import type { StoredRow } from '../schema/stored-row.ts';
import type { RowStore } from '../storage/row-store.ts';
import type { BackgroundWork } from './background-work.ts';
import { BitmapIndex } from './bitmap-index.ts';
import { wordsOf } from './bits.ts';
import { OrderedIndex } from './ordered-index.ts';
import type { SegmentBuilder } from './segment-builder.ts';
import { SubstringIndex } from './substring-index.ts';

export type Index = OrderedIndex | BitmapIndex | SubstringIndex;

/** The indexes of a table, by column. They always index the current rows. */
export class IndexSet implements BackgroundWork {
  readonly byColumn: ReadonlyMap<string, Index>;
  readonly #all: readonly Index[];
  readonly #substring: readonly SubstringIndex[];
  /** Idle segment builders, which all substring indexes share. */
  readonly #builders: SegmentBuilder[] = [];

  constructor(layout: Layout, store: RowStore) {
    const byColumn = new Map<string, Index>();
    const substring: SubstringIndex[] = [];
    for (const [name, { kind, index }] of layout.columns) {
      if (index === 'ordered') byColumn.set(name, new OrderedIndex(name, kind));
      if (index === 'bitmap') byColumn.set(name, new BitmapIndex(name, kind));
      if (index !== 'substring') continue;
      const texts = store.indexedTexts(layout.foldedColumns.indexOf(name));
      const added = new SubstringIndex(name, texts, this.#builders);
      byColumn.set(name, added);
      substring.push(added);
    }
    this.byColumn = byColumn;
    this.#all = [...byColumn.values()];
    this.#substring = substring;
  }

  /** Replaces the row of a slot in all indexes. Idempotent. */
  replace(slot: number, before: StoredRow | undefined, after: StoredRow | undefined): void {
    for (const index of this.#all) index.replace(slot, before, after);
  }

  /**
   * Deletes the rows of some slots from all indexes. Idempotent.
   *
   * @param rows the row of each slot
   */
  deleteAll(slots: readonly number[], rows: readonly StoredRow[]): void {
    const words = wordsOf(slots);
    for (const index of this.#all) {
      if (index.kind === 'bitmap') {
        index.deleteAll(words);
        continue;
      }
      for (let i = 0; i < slots.length; i++) index.replace(slots[i] ?? 0, rows[i], undefined);
    }
  }

  /** Memory held by each index, in bytes, by column. */
  get bytes(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.byColumn].map(([column, index]) => [column, index.bytes]));
  }

  /** Memory held by all indexes, in bytes. */
  get totalBytes(): number {
    let total = 0;
    for (const index of this.#all) total += index.bytes;
    return total;
  }

  get isPending(): boolean {
    return this.#substring.some((index) => index.isPending);
  }

  get isUrgent(): boolean {
    return this.#substring.some((index) => index.isUrgent);
  }

  *work(): Generator<void> {
    for (const index of this.#substring) yield* index.work();
    // Builders are large, so they are dropped when all work is done.
    if (!this.isPending) this.#builders.length = 0;
  }
}
