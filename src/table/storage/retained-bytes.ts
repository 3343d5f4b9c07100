/** Snapshots of one moment, and what is kept for their sake. */
interface Moment {
  readonly epoch: number;
  snapshots: number;
  /** Bytes by the epoch in which they were written. */
  readonly kept: Map<number, number>;
}

/** An open snapshot. */
interface Opened {
  readonly snapshot: object;
  readonly epoch: number;
}

/** So many snapshots may be open and not registered: little is held of those that are dropped. */
const MAX_FRESH = 64;

/**
 * Counts the bytes of former rows and pages that open snapshots keep in memory (as epoch-based
 * reclamation does: Fraser, Practical lock-freedom, 5.2.3). What is replaced is kept for the newest
 * open snapshot; when that is closed, for the next older one if that sees it as well.
 */
export class RetainedBytes {
  /** By epoch, ascending. */
  readonly #moments: Moment[] = [];
  /** Snapshots that are dropped without being closed are closed when they are collected. */
  readonly #dropped = new FinalizationRegistry<number>((epoch) => this.#close(epoch));
  /**
   * Snapshots that are not registered yet. Most are closed before that has to be done, which takes
   * as long as a short search.
   */
  #fresh: Opened[] = [];
  #total = 0;

  get total(): number {
    return this.#total;
  }

  /** The epoch of the newest open snapshot, which sees what was written up to then; else -1. */
  get newestEpoch(): number {
    return this.#moments.at(-1)?.epoch ?? -1;
  }

  /** Notes a new snapshot, no older than any other. */
  open(snapshot: object, epoch: number): void {
    const newest = this.#moments.at(-1);
    if (newest?.epoch === epoch) newest.snapshots++;
    else this.#moments.push({ epoch, snapshots: 1, kept: new Map() });
    if (this.#fresh.push({ snapshot, epoch }) > MAX_FRESH) this.#register();
  }

  /** Notes that a snapshot is not read any more. */
  close(snapshot: object, epoch: number): void {
    const fresh = this.#fresh.findLastIndex((opened) => opened.snapshot === snapshot);
    if (fresh >= 0) this.#fresh.splice(fresh, 1);
    else this.#dropped.unregister(snapshot);
    this.#close(epoch);
  }

  /** Notes that something written in an epoch was replaced. */
  replaced(writtenIn: number, bytes: number): void {
    const newest = this.#moments.at(-1);
    if (!newest || newest.epoch < writtenIn) return;
    if (this.#fresh.length > 0) this.#register();
    keep(newest, writtenIn, bytes);
    this.#total += bytes;
  }

  /** Sees to it that open snapshots are closed when they are collected. */
  #register(): void {
    for (const { snapshot, epoch } of this.#fresh) {
      this.#dropped.register(snapshot, epoch, snapshot);
    }
    this.#fresh = [];
  }

  #close(epoch: number): void {
    const index = this.#moments.findLastIndex((moment) => moment.epoch === epoch);
    const moment = this.#moments[index];
    if (!moment) return;
    moment.snapshots--;
    if (moment.snapshots > 0) return;
    this.#moments.splice(index, 1);
    const older = this.#moments[index - 1];
    for (const [writtenIn, bytes] of moment.kept) {
      if (older && older.epoch >= writtenIn) keep(older, writtenIn, bytes);
      else this.#total -= bytes;
    }
  }
}

function keep({ kept }: Moment, writtenIn: number, bytes: number): void {
  kept.set(writtenIn, (kept.get(writtenIn) ?? 0) + bytes);
}
