/** The open snapshots of one epoch, and the bytes that they retain. */
interface OpenEpoch {
  readonly epoch: number;
  snapshots: number;
  /** Retained bytes, by the epoch in which the row or page was written. */
  readonly retained: Map<number, number>;
}

/** An open snapshot. */
interface OpenSnapshot {
  readonly snapshot: object;
  readonly epoch: number;
}

/**
 * The maximum number of open snapshots that are not yet registered for finalization. Until they
 * are, they cannot be garbage-collected; that is harmless while they retain nothing but
 * themselves.
 */
const MAX_UNREGISTERED = 64;

/**
 * Counts the bytes of replaced rows and pages that open snapshots retain, by epochs (as in
 * epoch-based reclamation: Fraser, Practical lock-freedom, 5.2.3). A replaced row or page belongs
 * to the newest open snapshot that sees it. When that is closed, it passes to the next older one,
 * if that sees it too; otherwise it is freed.
 */
export class RetainedBytes {
  /** In ascending order of epoch. */
  readonly #openEpochs: OpenEpoch[] = [];
  /** Closes snapshots that are garbage-collected without being closed. */
  readonly #registry = new FinalizationRegistry<number>((epoch) => this.#close(epoch));
  /**
   * Open snapshots that are not yet registered for finalization. Most are closed before they need
   * to be: registering one takes as long as a short search.
   */
  #unregistered: OpenSnapshot[] = [];
  #total = 0;

  get total(): number {
    return this.#total;
  }

  /**
   * The epoch of the newest open snapshot, which sees what was written up to then; -1 if none is
   * open.
   */
  get newestEpoch(): number {
    return this.#openEpochs.at(-1)?.epoch ?? -1;
  }

  /** Adds a new snapshot, which must not be older than any other. */
  open(snapshot: object, epoch: number): void {
    const newest = this.#openEpochs.at(-1);
    if (newest?.epoch === epoch) newest.snapshots++;
    else this.#openEpochs.push({ epoch, snapshots: 1, retained: new Map() });
    if (this.#unregistered.push({ snapshot, epoch }) > MAX_UNREGISTERED) this.#register();
  }

  /** Removes a snapshot that will not be read any more. */
  close(snapshot: object, epoch: number): void {
    const index = this.#unregistered.findLastIndex((opened) => opened.snapshot === snapshot);
    if (index >= 0) this.#unregistered.splice(index, 1);
    else this.#registry.unregister(snapshot);
    this.#close(epoch);
  }

  /**
   * Counts a row or page that is replaced, if an open snapshot sees it.
   *
   * @param writeEpoch the epoch in which it was written
   * @param bytes its size
   */
  retain(writeEpoch: number, bytes: number): void {
    const newest = this.#openEpochs.at(-1);
    if (!newest || newest.epoch < writeEpoch) return;
    if (this.#unregistered.length > 0) this.#register();
    addBytes(newest, writeEpoch, bytes);
    this.#total += bytes;
  }

  /** Registers open snapshots for finalization. */
  #register(): void {
    for (const { snapshot, epoch } of this.#unregistered) {
      this.#registry.register(snapshot, epoch, snapshot);
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
