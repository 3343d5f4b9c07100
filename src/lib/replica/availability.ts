import { clock } from '../clock.ts';
import { StoreError } from './errors.ts';
import type { EtcdFollower } from './read/etcd-follower.ts';
import type { ReadIndex } from './read/read-index.ts';

/** How often to probe etcd, in milliseconds. */
const PROBE_MS = 1_000;

/** The time limit of a probe, in milliseconds, so that probes of a silent etcd stay few. */
const MAX_PROBE_MS = 5_000;

/** The age of etcd's last answer, in milliseconds, from which the replica is not ready. */
const OLD_ANSWER_MS = 3_000;

/** The number of failed probes in a row after which the store is reported as unavailable. */
const MIN_FAILED_PROBES = 2;

/** Why the store is unavailable. */
interface Unavailability {
  /** One line, with the last error. */
  readonly reason: string;
  readonly error: StoreError | undefined;
}

/** Whether the store can be used. Probes etcd once a second, and reports changes. */
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
  /** The reasons that were reported since the store was last available. */
  readonly #reported = new Set<string>();

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

  /** Why the store cannot be used; undefined if it can. */
  get reason(): string | undefined {
    return this.#problem()?.reason;
  }

  close(): void {
    clock.clear(this.#probing);
  }

  #problem(): Unavailability | undefined {
    const { isLoaded, isFollowing, lastError, list } = this.#follower;
    const { lastFailure } = list.client;
    if (isFollowing && list.client.hasAnsweredWithin(OLD_ANSWER_MS)) return undefined;
    const error = lastFailure ?? (isFollowing ? undefined : lastError);
    const ofList = isLoaded ? 'The list cannot be followed' : 'The list has not been loaded yet';
    const finding = isFollowing ? 'The store does not answer' : ofList;
    return { reason: error ? `${finding}: ${error.message}` : finding, error };
  }

  async #probe(): Promise<void> {
    const { list } = this.#follower;
    try {
      await this.#readIndex.ask(Math.min(list.deadline(), clock.now() + MAX_PROBE_MS));
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    }
    const problem = this.#problem();
    if (problem === undefined) {
      if (this.#reported.size > 0) this.#onUnavailable(undefined);
      this.#reported.clear();
      this.#failedProbes = 0;
    } else if (++this.#failedProbes >= MIN_FAILED_PROBES && problem.error !== undefined) {
      const key = keyOf(problem.error);
      if (!this.#reported.has(key)) this.#onUnavailable(problem.reason);
      this.#reported.add(key);
    }
  }
}

/** Identifies an error without its endpoint: the code of Node's error, or the message. */
function keyOf({ cause, message }: StoreError): string {
  const hasCode = cause instanceof Error && 'code' in cause && typeof cause.code === 'string';
  return hasCode ? String(cause.code) : message.replace(/^https?:\/\/\S+: /, '');
}
