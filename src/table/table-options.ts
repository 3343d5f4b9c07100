import type { Schedule } from './indexes/background-work.ts';
import type { Clock } from './query/pace.ts';

/** Options of a table. */
export interface TableOptions {
  /** The maximum number of rows; unlimited by default. */
  readonly maxRows?: number;
  /**
   * The maximum memory in bytes, including indexes and what open snapshots retain; unlimited by
   * default. Bytes are computed from the values, not measured. What indexing a row will take later
   * counts from the start.
   */
  readonly maxBytes?: number;
  /** The first id to assign; by default, the start of the identity range. */
  readonly firstId?: number | bigint;
  /**
   * Schedules short tasks of background work. By default, uses timers that do not keep the process
   * alive.
   */
  readonly schedule?: Schedule;
  /** The clock that ends the steps of a cursor; by default, the clock of the process. */
  readonly clock?: Clock;
}

/** The number of rows and the memory they take. Bytes are computed, not measured. */
export interface Stats {
  readonly rows: number;
  readonly bytes: {
    /** Rows and their values. */
    readonly rows: number;
    /** Folded texts that differ from the original texts. */
    readonly texts: number;
    /** Each index, by column. */
    readonly indexes: Readonly<Record<string, number>>;
    /** Old versions of rows that open snapshots and cursors retain. */
    readonly snapshots: number;
    readonly total: number;
  };
}
