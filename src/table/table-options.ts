import type { Schedule } from './indexes/background-work.ts';
import type { Clock } from './query/pace.ts';

/** Options of a table. */
export interface TableOptions {
  /** The most rows it may hold; no limit by default. */
  readonly maxRows?: number;
  /**
   * The most memory it may take, in bytes, including indexes and what open snapshots retain; no
   * limit by default. Bytes are counted, not measured, and include the deferred work for a row from
   * the start.
   */
  readonly maxBytes?: number;
  /** The first id, if it is not the start of the identity's range. */
  readonly firstId?: number | bigint;
  /**
   * Runs short tasks of background work a little later. By default, timers that do not keep the
   * process alive.
   */
  readonly schedule?: Schedule;
  /** What cuts work into steps; by default, the clock of the process. */
  readonly clock?: Clock;
}

/** How much a table holds. Bytes are counted, not measured. */
export interface Stats {
  readonly rows: number;
  readonly bytes: {
    /** Rows with their values. */
    readonly rows: number;
    /** Folded texts that differ from the texts themselves. */
    readonly texts: number;
    /** Each index, by its column. */
    readonly indexes: Readonly<Record<string, number>>;
    /** Former rows that open snapshots and cursors retain. */
    readonly snapshots: number;
    readonly total: number;
  };
}
