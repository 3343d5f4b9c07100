/** Bytes that snapshots use, made in an epoch, or by a commit, whichever is later. */
interface Retained {
  readonly epoch: number;
  readonly revision: number;
  readonly bytes: number;
}

/** The open snapshots of one epoch. */
interface OpenEpoch {
  readonly epoch: number;
  /** The number of the last commit that they show. */
  readonly revision: number;
  count: number;
  /** The rows and leaves that were replaced while these snapshots were the newest. */
  retained: Retained[];
}

/**
 * The open snapshots of a table, and the bytes that only they use. An old row or leaf belongs to
 * the newest snapshot that shows it, then to the next older one that does; then it is released.
 */
export class OpenSnapshots {
  /** The epoch of current writes. Snapshots see objects of earlier epochs. */
  epoch = 1;
  bytes = 0;
  /** The newest epoch that a snapshot sees, and the last commit that it shows. */
  #seen = 0;
  #seenRevision = -1;
  #revision = 0;
  #hasChanged = true;
  /** In ascending order of epoch. */
  readonly #open: OpenEpoch[] = [];

  /** Whether a snapshot sees objects of an epoch, so that they must not change. */
  sees(epoch: number): boolean {
    return epoch <= this.#seen;
  }

  /** Whether a snapshot shows a row of a commit. */
  shows(revision: number): boolean {
    return revision <= this.#seenRevision;
  }

  /** Records a write of a commit. */
  noteWrite(revision: number): void {
    this.#hasChanged = true;
    if (revision > this.#revision) this.#revision = revision;
  }

  /** Opens a snapshot, or another one of an epoch that has one. Returns its epoch. */
  open(epoch?: number): number {
    const known = this.#open.find((each) => each.epoch === epoch);
    if (known) {
      known.count++;
      return known.epoch;
    }
    if (this.#hasChanged) this.epoch++;
    this.#hasChanged = false;
    const seen = this.epoch - 1;
    const newest = this.#open.at(-1);
    if (newest?.epoch === seen) newest.count++;
    else this.#open.push({ epoch: seen, revision: this.#revision, count: 1, retained: [] });
    this.#update();
    return seen;
  }

  close(epoch: number): void {
    const index = this.#open.findIndex((each) => each.epoch === epoch);
    const entry = this.#open[index];
    if (!entry || --entry.count > 0) return;
    this.#open.splice(index, 1);
    const older = this.#open[index - 1];
    for (const each of entry.retained) {
      const isShown = older && each.epoch <= older.epoch && each.revision <= older.revision;
      if (isShown) older.retained.push(each);
      else this.bytes -= each.bytes;
    }
    this.#update();
  }

  /** Counts the bytes of something that snapshots use alone from now on, if any shows it. */
  retain(bytes: number, { epoch = 0, revision = -1 }: Partial<Omit<Retained, 'bytes'>>): void {
    const newest = this.#open.at(-1);
    if (!newest || epoch > newest.epoch || revision > newest.revision) return;
    newest.retained.push({ epoch, revision, bytes });
    this.bytes += bytes;
  }

  #update(): void {
    const newest = this.#open.at(-1);
    this.#seen = newest?.epoch ?? 0;
    this.#seenRevision = newest?.revision ?? -1;
  }
}
