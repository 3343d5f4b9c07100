import { clock } from '../../lib/clock.ts';
import { ignoreStoreError, StoreError } from './errors.ts';
import type { Follower } from './follower.ts';

/** The time between two probes of etcd, in milliseconds. */
const PROBE_MS = 1_000;

/** The age of etcd's last answer, in milliseconds, from which the replica is not ready. */
const OLD_ANSWER_MS = 3_000;

/** The number of failed probes in a row after which the store is reported as unavailable. */
const MIN_FAILED_PROBES = 2;

/** The problem while the list is loaded without an error, which may take long. */
const LOADING = new StoreError('the list has not been loaded yet');

/** Probes etcd every second, and reports when the store becomes unavailable or available. */
export class Availability {
  readonly #follower: Follower;
  readonly #onUnavailable: (reason: string | undefined) => void;
  readonly #probing = clock.setInterval(() => this.#probe(), PROBE_MS).unref();
  #failedProbes = 0;
  #isReported = false;

  /** @param onUnavailable as in `ReplicaEvents` */
  constructor(follower: Follower, onUnavailable: (reason: string | undefined) => void) {
    this.#follower = follower;
    this.#onUnavailable = onUnavailable;
  }

  /** Why the store cannot be used: the last error, in one line; undefined if it can. */
  get problem(): StoreError | undefined {
    const { isFollowing, lastError, list } = this.#follower;
    if (isFollowing && list.etcd.hasAnsweredWithin(OLD_ANSWER_MS)) return undefined;
    return list.etcd.lastError ?? (isFollowing ? undefined : lastError) ?? LOADING;
  }

  close(): void {
    clock.clear(this.#probing);
  }

  #probe(): void {
    // Not awaited. Any error other than a StoreError must end the process.
    void ignoreStoreError(this.#follower.catchUp());
    const { problem } = this;
    this.#failedProbes = problem === undefined ? 0 : this.#failedProbes + 1;
    const isUnavailable = this.#failedProbes >= MIN_FAILED_PROBES && problem !== LOADING;
    // After one failed probe, or while the list is loaded, the last report still holds.
    if (problem !== undefined && !isUnavailable) return;
    if (this.#isReported === isUnavailable) return;
    this.#isReported = isUnavailable;
    this.#onUnavailable(problem?.message);
  }
}
