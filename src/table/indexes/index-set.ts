import type { Layout } from '../schema/layout.ts';
import type { StoredRow } from '../schema/stored-row.ts';
import type { RowStore } from '../storage/row-store.ts';
import { OrderedIndex } from './ordered-index.ts';
import type { SegmentBuilder } from './segment-builder.ts';
import { SubstringIndex } from './substring-index.ts';

/** All indexes of a table, each by its column. They describe the newest state, and no other. */
export class IndexSet {
  readonly ordered: ReadonlyMap<string, OrderedIndex>;
  readonly substring: ReadonlyMap<string, SubstringIndex>;
  readonly #all: readonly (OrderedIndex | SubstringIndex)[];

  constructor(layout: Layout, store: RowStore) {
    const ordered = new Map<string, OrderedIndex>();
    const substring = new Map<string, SubstringIndex>();
    const builders: SegmentBuilder[] = [];
    for (const [name, { kind, index }] of layout.columns) {
      if (index === 'ordered') ordered.set(name, new OrderedIndex(name, kind));
    }
    for (const [position, name] of layout.foldedColumns.entries()) {
      substring.set(name, new SubstringIndex(name, store.foldedTexts(position), builders));
    }
    this.ordered = ordered;
    this.substring = substring;
    this.#all = [...ordered.values(), ...substring.values()];
  }

  /** Follows a slot from one row to another. Doing so again changes nothing. */
  replace(slot: number, before: StoredRow | undefined, after: StoredRow | undefined): void {
    for (const index of this.#all) index.replace(slot, before, after);
  }

  /** The bytes that each index takes, by its column. */
  get bytes(): Readonly<Record<string, number>> {
    const indexes = [...this.ordered, ...this.substring];
    return Object.fromEntries(indexes.map(([column, index]) => [column, index.bytes]));
  }

  /** The bytes that all of them take. */
  get totalBytes(): number {
    let total = 0;
    for (const index of this.#all) total += index.bytes;
    return total;
  }

  /** Whether there is work that can wait until nobody else does. */
  get untidy(): boolean {
    for (const index of this.substring.values()) if (index.untidy) return true;
    return false;
  }

  /** Whether that work should not wait for a quiet moment. */
  get pressing(): boolean {
    for (const index of this.substring.values()) if (index.pressing) return true;
    return false;
  }

  /** Does a part of that work, in short steps. */
  *tidy(): Generator<void> {
    for (const index of this.substring.values()) yield* index.tidy();
  }
}
