import type { Row } from '../lib/rows.ts';

/** A row of the compared tables: an item, and times in three orders. */
export interface Values extends Row {
  readonly ascending: string;
  readonly equal: string;
  readonly random: string;
}

/** The columns that a page can be in order of. */
export type Column = 'id' | 'priority' | 'ascending' | 'equal' | 'random';

/** A page of 20 rows. */
export interface Page {
  readonly by: Column;
  readonly isDescending?: boolean;
  /** Whether it has completed rows alone. */
  readonly isFiltered?: boolean;
  readonly offset?: number;
}

export const PAGE_SIZE = 20;

/** A table in memory with all of its indexes. Queries return rows, not cursors. */
export interface Engine {
  /** Inserts a row with the next id, from 1. */
  insert(values: Values): void;
  get(id: number): unknown;
  setFlag(id: number, completed: boolean): void;
  setTitle(id: number, title: string): void;
  /** The rows that contain a term in title or description, ignoring case. */
  search(term: string): readonly unknown[];
  /** Those of them that are completed. */
  searchCompleted(term: string): readonly unknown[];
  /** Counts the completed rows with a priority of 4 or 5. */
  countUrgent(): number;
  page(page: Page): readonly unknown[];
  /** All rows, in order of a column. */
  list(by: Column): readonly unknown[];
  /** Changes the flag of a row while a list of all rows is open; not all engines have such lists. */
  setFlagUnderList?(id: number, completed: boolean): void;
  /** Changes the flag of all rows with a priority of 4 or 5. */
  setUrgentFlags(completed: boolean): void;
}
