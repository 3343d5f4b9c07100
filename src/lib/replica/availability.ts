import { clock } from '../clock.ts';
import { StoreError } from './errors.ts';
import type { EtcdFollower } from './read/etcd-follower.ts';
import type { ReadIndex } from './read/read-index.ts';

/** The time between two probes of etcd, in milliseconds. */
const PROBE_MS = 1_000;

/** The time limit of a probe, in milliseconds, so that probes of a silent etcd stay few. */
const MAX_PROBE_MS = 5_000;

/** The age of etcd's last answer, in milliseconds, from which the replica is not ready. */
const OLD_ANSWER_MS = 3_000;

/** The number of failed probes in a row after which the store is reported as unavailable. */
const MIN_FAILED_PROBES = 2;

/** Probes etcd every second, and reports when the store becomes unavailable or available. */
export class Availability {
  readonly #follower: EtcdFollower;
  readonly #readIndex: ReadIndex;
  readonly #onUnavailable: (reason: string | undefined) => void;
  readonly #probing = clock
    .setInterval(() => {
      // Not awaited. Any error other than a StoreError must end the process.
      void this.#probe();
    }, PROBE_MS)
    .unref();
  #failedProbes = 0;
  /** The reason that was last reported; undefined if the store is available. */
  #reported: string | undefined;

  /** @param onUnavailable as in `ReplicaEvents` */
  constructor(
    follower: EtcdFollower,
    readIndex: ReadIndex,
    onUnavailable: (reason: string | undefined) => void,
  ) {
    this.#follower = follower;
    this.#readIndex = readIndex;
    this.#onUnavailable = onUnavailable;
  }

  /** Why the store cannot be used, in one line, with the last error; undefined if it can. */
  get problem(): StoreError | undefined {
    const { isLoaded, isFollowing, list } = this.#follower;
    if (isFollowing && list.client.hasAnsweredWithin(OLD_ANSWER_MS)) return undefined;
    const error = this.#lastError;
    const listFinding = isLoaded
      ? 'The list cannot be followed'
      : 'The list has not been loaded yet';
    const finding = isFollowing ? 'The store does not answer' : listFinding;
    return new StoreError(error ? `${finding}: ${error.message}` : finding, {
      option: error?.option,
    });
  }

  close(): void {
    clock.clear(this.#probing);
  }

  get #lastError(): StoreError | undefined {
    const { isFollowing, lastError, list } = this.#follower;
    return list.client.lastFailure ?? (isFollowing ? undefined : lastError);
  }

  async #probe(): Promise<void> {
    const follower = this.#follower;
    const deadline = Math.min(follower.list.deadline(), clock.now() + MAX_PROBE_MS);
    try {
      await follower.reach(await this.#readIndex.fetchRevision(deadline), deadline);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    }
    const { problem } = this;
    this.#failedProbes = problem === undefined ? 0 : this.#failedProbes + 1;
    if (problem === undefined) {
      if (this.#reported !== undefined) this.#onUnavailable(undefined);
      this.#reported = undefined;
    } else if (this.#failedProbes >= MIN_FAILED_PROBES && this.#lastError !== undefined) {
      const reason = reasonOf(this.#lastError);
      if (reason !== this.#reported) this.#onUnavailable(problem.message);
      this.#reported = reason;
    }
  }
}

/** The code of Node's error, or the message, without the endpoint: the same for all endpoints. */
function reasonOf({ cause, message }: StoreError): string {
  const hasCode = cause instanceof Error && 'code' in cause && typeof cause.code === 'string';
  return hasCode ? String(cause.code) : message.replace(/^https?:\/\/\S+: /, '');
}
