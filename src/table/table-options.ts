import type { Schedule } from './indexes/background-work.ts';
import type { Clock } from './query/pace.ts';

/** Settings of a table. */
export interface TableOptions {
  /** The most rows it may hold; no limit unless given. */
  readonly maxRows?: number;
  /**
   * The most memory that it may take, in bytes, with indexes and what open snapshots keep; no limit
   * unless given. It is counted, not measured, and what is still to be done for a row counts already.
   */
  readonly maxBytes?: number;
  /** The first id, if not the start of the identity's range. */
  readonly firstId?: number | bigint;
  /**
   * Runs short tasks of background work a little later. Unless given, timers do that, which do not keep
   * the process alive.
   */
  readonly schedule?: Schedule;
  /** What cuts work into steps; the clock of the process unless given. */
  readonly clock?: Clock;
}

/** How much a table holds. Bytes are counted from what is stored, not measured. */
export interface Stats {
  readonly rows: number;
  readonly bytes: {
    /** Rows with their values. */
    readonly rows: number;
    /** Folded texts, where they are not the texts themselves. */
    readonly texts: number;
    /** Each index, by its column. */
    readonly indexes: Readonly<Record<string, number>>;
    /** Former rows that open snapshots and cursors keep. */
    readonly snapshots: number;
    readonly total: number;
  };
}
