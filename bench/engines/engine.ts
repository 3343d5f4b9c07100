import type { Row } from '../lib/rows.ts';

/**
 * What is compared: a table of todos in memory. Answers are rows that can be read, not cursors or
 * counts.
 */
export interface Engine {
  /** Stores rows under the next ids, with all indexes, in the way that is fastest for it. */
  insert(rows: readonly Row[]): void;
  get(id: number): unknown;
  /** The rows that have the needle in title or description, ignoring case. */
  search(needle: string): readonly unknown[];
  /** Deletes those rows. */
  remove(needle: string): void;
  /** How many rows there are. */
  size(): number;
  /** Bytes held outside of JavaScript's memory. */
  nativeBytes(): number;
  close(): void;
}
