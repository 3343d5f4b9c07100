import { clock } from '../clock.ts';
import { messageOf } from './etcd/error.ts';
import type { ReplicaParts } from './parts.ts';

/** How often to check that etcd answers, in milliseconds. Readiness depends on it. */
const PROBE_MS = 1_000;

/** How old etcd's last answer may be while the replica is ready, in milliseconds. */
const MAX_ANSWER_AGE_MS = 3_000;

/** After how many failed probes in a row the store counts as unavailable. */
const MIN_FAILED_PROBES = 2;

/** Whether the store can be used: asks etcd, and says so once whenever that has changed. */
export class Availability {
  readonly #parts: ReplicaParts;
  readonly #onUnavailable: (reason: string | undefined) => void;
  readonly #probing = clock.setInterval(() => this.#probe(), PROBE_MS).unref();
  #failedProbes = 0;
  /** What went wrong last. */
  lastError: string | undefined;

  /** @param onUnavailable called with the reason, and with undefined once it is available again */
  constructor(parts: ReplicaParts, onUnavailable: (reason: string | undefined) => void) {
    this.#parts = parts;
    this.#onUnavailable = onUnavailable;
  }

  /** Why the store cannot be used; undefined if it can. */
  get problem(): string | undefined {
    const { follower, list } = this.#parts;
    if (!follower.isLoaded) return 'The list has not been loaded yet';
    if (!follower.isFollowing) return 'The list cannot be followed';
    const age = clock.now() - list.client.lastAnswer;
    return age < MAX_ANSWER_AGE_MS ? undefined : 'etcd has served no request for 3 s';
  }

  close(): void {
    clock.clear(this.#probing);
  }

  #probe(): void {
    const { follower, readIndex } = this.#parts;
    readIndex.wait().catch((error) => {
      this.lastError = messageOf(error);
    });
    const { problem } = this;
    if (problem === undefined) {
      if (this.#failedProbes >= MIN_FAILED_PROBES) this.#onUnavailable(undefined);
      this.#failedProbes = 0;
      this.lastError = undefined;
    } else if (follower.isLoaded || this.lastError !== undefined) {
      const reason = [problem, this.lastError].filter(Boolean).join(': ');
      if (++this.#failedProbes === MIN_FAILED_PROBES) this.#onUnavailable(reason);
    }
  }
}
