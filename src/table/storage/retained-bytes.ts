/** Snapshots of one moment, and what is kept for their sake. */
interface OpenEpoch {
  readonly epoch: number;
  snapshots: number;
  /** Bytes by the epoch in which they were written. */
  readonly retained: Map<number, number>;
}

/** An open snapshot. */
interface OpenSnapshot {
  readonly snapshot: object;
  readonly epoch: number;
}

/** So many snapshots may be open and not registered: little is held of those that are dropped. */
const MAX_UNREGISTERED = 64;

/**
 * Counts the bytes of former rows and pages that open snapshots keep in memory (as epoch-based
 * reclamation does: Fraser, Practical lock-freedom, 5.2.3). What is replaced is kept for the newest
 * open snapshot; when that is closed, for the next older one if that sees it as well.
 */
export class RetainedBytes {
  /** By epoch, ascending. */
  readonly #openEpochs: OpenEpoch[] = [];
  /** Snapshots that are dropped without being closed are closed when they are collected. */
  readonly #collected = new FinalizationRegistry<number>((epoch) => this.#close(epoch));
  /**
   * Snapshots that are not registered yet. Most are closed before that has to be done, which takes
   * as long as a short search.
   */
  #unregistered: OpenSnapshot[] = [];
  #total = 0;

  get total(): number {
    return this.#total;
  }

  /** The epoch of the newest open snapshot, which sees what was written up to then; else -1. */
  get newestEpoch(): number {
    return this.#openEpochs.at(-1)?.epoch ?? -1;
  }

  /** Notes a new snapshot, no older than any other. */
  open(snapshot: object, epoch: number): void {
    const newest = this.#openEpochs.at(-1);
    if (newest?.epoch === epoch) newest.snapshots++;
    else this.#openEpochs.push({ epoch, snapshots: 1, retained: new Map() });
    if (this.#unregistered.push({ snapshot, epoch }) > MAX_UNREGISTERED) this.#register();
  }

  /** Notes that a snapshot is not read any more. */
  close(snapshot: object, epoch: number): void {
    const index = this.#unregistered.findLastIndex((opened) => opened.snapshot === snapshot);
    if (index >= 0) this.#unregistered.splice(index, 1);
    else this.#collected.unregister(snapshot);
    this.#close(epoch);
  }

  /** Notes that something written in an epoch was replaced. */
  retain(writeEpoch: number, bytes: number): void {
    const newest = this.#openEpochs.at(-1);
    if (!newest || newest.epoch < writeEpoch) return;
    if (this.#unregistered.length > 0) this.#register();
    addBytes(newest, writeEpoch, bytes);
    this.#total += bytes;
  }

  /** Sees to it that open snapshots are closed when they are collected. */
  #register(): void {
    for (const { snapshot, epoch } of this.#unregistered) {
      this.#collected.register(snapshot, epoch, snapshot);
    }
    this.#unregistered = [];
  }

  #close(epoch: number): void {
    const index = this.#openEpochs.findLastIndex((entry) => entry.epoch === epoch);
    const entry = this.#openEpochs[index];
    if (!entry) return;
    entry.snapshots--;
    if (entry.snapshots > 0) return;
    this.#openEpochs.splice(index, 1);
    const older = this.#openEpochs[index - 1];
    for (const [writeEpoch, bytes] of entry.retained) {
      if (older && older.epoch >= writeEpoch) addBytes(older, writeEpoch, bytes);
      else this.#total -= bytes;
    }
  }
}

function addBytes({ retained }: OpenEpoch, writeEpoch: number, bytes: number): void {
  retained.set(writeEpoch, (retained.get(writeEpoch) ?? 0) + bytes);
}
