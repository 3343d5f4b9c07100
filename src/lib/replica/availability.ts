import { clock } from '../clock.ts';
import { type ReasonKind, StoreError } from './errors.ts';
import type { EtcdFollower } from './read/etcd-follower.ts';
import type { ReadIndex } from './read/read-index.ts';

/** How often to check that etcd answers, in milliseconds. Readiness depends on it. */
const PROBE_MS = 1_000;

/** How old etcd's last answer may be while the replica is ready, in milliseconds. */
const MAX_ANSWER_AGE_MS = 3_000;

/** After how many failed probes in a row the store counts as unavailable. */
const MIN_FAILED_PROBES = 2;

/** How long to wait before telling of another kind of reason, in milliseconds. */
const RETELL_MS = 60_000;

/** What is asked whether the store can be used. */
export interface AvailabilityParts {
  readonly follower: EtcdFollower;
  readonly readIndex: ReadIndex;
  readonly client: { readonly lastAnswer: number };
}

/** Why the store cannot be used. */
export interface Unavailability {
  readonly kind: ReasonKind;
  /** What it cannot do, and the cause after the word of its kind. */
  readonly reason: string;
}

/**
 * Whether the store can be used: asks etcd. It tells whenever that has changed, and when the cause
 * is of another kind.
 */
export class Availability {
  readonly #parts: AvailabilityParts;
  readonly #onUnavailable: (reason: string | undefined) => void;
  readonly #probing = clock.setInterval(() => this.#probe(), PROBE_MS).unref();
  #failedProbes = 0;
  /** How the last probe has failed. */
  #probeError: StoreError | undefined;
  /** What has been told last, and when. */
  #told: { readonly kind: ReasonKind; readonly at: number } | undefined;

  /** @param onUnavailable called with the reason, and with undefined once it is available again */
  constructor(parts: AvailabilityParts, onUnavailable: (reason: string | undefined) => void) {
    this.#parts = parts;
    this.#onUnavailable = onUnavailable;
  }

  /** Why the store cannot be used; undefined if it can. */
  get problem(): Unavailability | undefined {
    const { follower, client } = this.#parts;
    if (!follower.isLoaded) return this.#because('The list has not been loaded yet');
    if (!follower.isFollowing) return this.#because('The list cannot be followed');
    const { misfit } = follower.agreed;
    if (misfit !== undefined) return because('Nothing can be written', misfit);
    if (clock.now() - client.lastAnswer < MAX_ANSWER_AGE_MS) return undefined;
    const silence = new StoreError('etcd has served no request for 3 s', 'silent');
    return because('The store does not answer', this.#probeError ?? silence);
  }

  close(): void {
    clock.clear(this.#probing);
  }

  /** Names the cause that says most. */
  #because(what: string): Unavailability {
    const { lastError } = this.#parts.follower;
    const named = [lastError, this.#probeError].find((error) => error && error.kind !== 'other');
    return because(what, named ?? lastError ?? this.#probeError);
  }

  #probe(): void {
    const { follower } = this.#parts;
    // Nobody waits for it. Whatever is no error of the store has to end the process.
    void this.#ask();
    const { problem } = this;
    if (problem === undefined) {
      if (this.#told !== undefined) this.#onUnavailable(undefined);
      this.#told = undefined;
      this.#failedProbes = 0;
      this.#probeError = undefined;
    } else if (follower.isLoaded || follower.lastError || this.#probeError) {
      if (++this.#failedProbes >= MIN_FAILED_PROBES) this.#tell(problem);
    }
  }

  async #ask(): Promise<void> {
    const { follower, readIndex } = this.#parts;
    try {
      await readIndex.wait();
      if (follower.agreed.misfit !== undefined) await follower.checkMeta();
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      this.#probeError = error;
    }
  }

  #tell({ kind, reason }: Unavailability): void {
    const now = clock.now();
    const told = this.#told;
    if (told !== undefined && (told.kind === kind || now - told.at < RETELL_MS)) return;
    this.#told = { kind, at: now };
    this.#onUnavailable(reason);
  }
}

function because(what: string, cause: StoreError | undefined): Unavailability {
  if (cause === undefined) return { kind: 'other', reason: what };
  return { kind: cause.kind, reason: `${what}: ${cause.reason}` };
}
