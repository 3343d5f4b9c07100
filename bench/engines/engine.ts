import type { Row } from '../lib/rows.ts';

/**
 * An engine under test: a table of todos in memory. Results are readable rows, not cursors or
 * counts.
 */
export interface Engine {
  /** Inserts rows with the next ids and all indexes, in the engine's fastest way. */
  insert(rows: readonly Row[]): void;
  get(id: number): unknown;
  /** The rows that contain the needle in title or description, ignoring case. */
  search(needle: string): readonly unknown[];
  /** Deletes those rows. */
  remove(needle: string): void;
  /** The number of rows. */
  size(): number;
  /** Bytes held outside the JavaScript heap. */
  nativeBytes(): number;
  close(): void;
}
