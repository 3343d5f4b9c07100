import { clock } from '../../clock.ts';
import { StoreError } from '../errors.ts';

/** How long nothing may arrive while a revision is missing, in milliseconds. */
const SILENCE_MS = 1_000;

/** Promises for revisions that are known to exist, but are not shown yet. */
export class RevisionWaiters {
  /** The function that settles each promise, and the revision that it is for. */
  readonly #waiters = new Map<(error?: StoreError) => void, number>();
  /** The last revision, as far as is known, and the one that is shown. */
  #last = 0;
  #shown = 0;
  /** Since when nothing has arrived, by `clock.now()`. */
  #silentSince = 0;

  /** How many known revisions are not shown. */
  get lag(): number {
    return Math.max(0, this.#last - this.#shown);
  }

  /** Whether nothing has arrived for too long, although something is missing after a revision. */
  isSilent(revision: number): boolean {
    return revision < this.#last && clock.now() - this.#silentSince >= SILENCE_MS;
  }

  /**
   * Notes that a revision was the last one a moment ago. Higher ones may be gone, by a restore.
   * @param shown the revision that is shown
   */
  noteRevision(revision: number, shown: number): void {
    if (shown >= this.#last) this.arrive();
    this.#last = revision;
  }

  /** Waits for a revision, until a deadline by `clock.now()`. @throws StoreError if it is late */
  wait(revision: number, deadline: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (error?: StoreError) => {
        clock.clear(timer);
        this.#waiters.delete(settle);
        if (error === undefined) resolve();
        else reject(error);
      };
      const onDeadline = () => settle(new StoreError('the replica is behind'));
      const timer = clock.setTimeout(onDeadline, Math.max(0, deadline - clock.now()));
      this.#waiters.set(settle, revision);
    });
  }

  /** Notes that something has arrived, so the silence begins again. */
  arrive(): void {
    this.#silentSince = clock.now();
  }

  /** Resolves the promises up to a revision, which is shown now. */
  release(revision: number): void {
    this.#shown = revision;
    for (const [settle, awaited] of this.#waiters) if (awaited <= revision) settle();
  }

  /** Rejects all promises: the revisions will not come. */
  rejectAll(error: StoreError): void {
    this.#last = 0;
    for (const settle of this.#waiters.keys()) settle(error);
  }
}
