import type { Clock } from './query/pace.ts';

/** Options of a table. */
export interface TableOptions {
  /** The maximum number of rows; unlimited by default. */
  readonly maxRows?: number;
  /**
   * The maximum memory in bytes, including indexes and what open snapshots retain; unlimited by
   * default. Bytes are computed from the values, not measured.
   */
  readonly maxBytes?: number;
  /** The first id to assign; by default, the start of the identity range. */
  readonly firstId?: number | bigint;
  /** The clock that ends the steps of a cursor; by default, the clock of the process. */
  readonly clock?: Clock;
}

/** The number of rows and the memory they take. Bytes are computed, not measured. */
export interface Stats {
  readonly rows: number;
  readonly bytes: {
    /** Rows with their values and folded texts, and the pages that hold them. */
    readonly rows: number;
    /** Bitmaps, bounds and signatures. */
    readonly indexes: number;
    /** Old versions of rows that open snapshots and cursors retain. */
    readonly snapshots: number;
    readonly total: number;
  };
}
