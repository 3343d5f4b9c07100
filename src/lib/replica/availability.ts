import { clock } from '../clock.ts';
import { type ReasonKind, StoreError } from './errors.ts';
import type { ReadIndex } from './read/read-index.ts';

/** How often to check that etcd answers, in milliseconds. Readiness depends on it. */
const PROBE_MS = 1_000;

/** How long a probe may wait, in milliseconds: those of a silent etcd must not become many. */
const MAX_PROBE_MS = 5_000;

/** How old etcd's last answer may be while the replica is ready, in milliseconds. */
const MAX_ANSWER_AGE_MS = 3_000;

/** After how many failed probes in a row the store counts as unavailable. */
const MIN_FAILED_PROBES = 2;

/** How long to wait before telling of another kind of reason, in milliseconds. */
const RETELL_MS = 60_000;

/** Whether the store can be used: asks etcd once a second, and tells when that has changed. */
export class Availability {
  readonly #readIndex: ReadIndex;
  readonly #onUnavailable: (reason: string | undefined) => void;
  readonly #probing = clock.setInterval(() => this.#probe(), PROBE_MS).unref();
  #failedProbes = 0;
  /** The kind that was reported last, and when. */
  #told: { readonly kind: ReasonKind; readonly at: number } | undefined;

  /** @param onUnavailable that of `ReplicaEvents` */
  constructor(readIndex: ReadIndex, onUnavailable: (reason: string | undefined) => void) {
    this.#readIndex = readIndex;
    this.#onUnavailable = onUnavailable;
  }

  /** Why the store cannot be used: what it cannot do, and the cause; undefined if it can. */
  get problem(): { readonly kind: ReasonKind; readonly reason: string } | undefined {
    const { isLoaded, isFollowing, agreed, lastError, list } = this.#readIndex.follower;
    const { lastFailure } = list.client;
    if (!isFollowing) {
      const what = isLoaded ? 'The list cannot be followed' : 'The list has not been loaded yet';
      // The error that says most: one of a known kind.
      const named = [lastError, lastFailure].find((error) => error && error.kind !== 'other');
      return because(what, named ?? lastError ?? lastFailure);
    }
    if (agreed.misfit !== undefined) return because('Nothing can be written', agreed.misfit);
    if (list.client.hasAnsweredWithin(MAX_ANSWER_AGE_MS)) return undefined;
    const silence = new StoreError('etcd has served no request for 3 s', 'silent');
    return because('The store does not answer', lastFailure ?? silence);
  }

  close(): void {
    clock.clear(this.#probing);
  }

  #probe(): void {
    const { follower } = this.#readIndex;
    // Nobody waits for it: any error but one of the store has to end the process.
    void this.#ask();
    const { problem } = this;
    if (problem === undefined) {
      if (this.#told !== undefined) this.#onUnavailable(undefined);
      this.#told = undefined;
      this.#failedProbes = 0;
    } else if (follower.isLoaded || follower.lastError || follower.list.client.lastFailure) {
      if (++this.#failedProbes < MIN_FAILED_PROBES) return;
      const { kind, reason } = problem;
      const at = clock.now();
      const told = this.#told;
      if (told !== undefined && (told.kind === kind || at - told.at < RETELL_MS)) return;
      this.#told = { kind, at };
      this.#onUnavailable(reason);
    }
  }

  async #ask(): Promise<void> {
    const { follower } = this.#readIndex;
    const deadline = Math.min(follower.list.deadline(), clock.now() + MAX_PROBE_MS);
    try {
      await this.#readIndex.ask(deadline);
      if (follower.agreed.misfit !== undefined) await follower.checkMeta();
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    }
  }
}

function because(what: string, cause: StoreError | undefined) {
  if (cause === undefined) return { kind: 'other', reason: what } as const;
  return { kind: cause.kind, reason: `${what}: ${cause.reason}` };
}
