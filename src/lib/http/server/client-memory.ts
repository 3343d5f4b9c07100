import type { Held } from '../routing/router.ts';
import { ReasonCounter } from './reason-counter.ts';

/** The share of the limit above which memory is scarce. */
const SCARCE = 3 / 4;

/** The growth after which the total is computed again, as a share of the limit. */
const GROWTH = 1 / 8;

/** A connection, which holds memory on behalf of its client. */
export interface MemoryUser {
  /** The memory that it holds now, besides `held`. */
  readonly bytes: number;
  readonly isClosed: boolean;
  /** Whether it waits for its client, for processor time, or for an external system. */
  readonly isWaiting: boolean;
  /** Whether its client has not read all that was written to it. */
  readonly isUnread: boolean;
  /** Whether a response is being sent in parts. */
  readonly isSending: boolean;
  /** What its request holds together with others. */
  readonly held: Held | undefined;
  disconnect(): void;
}

/** The memory that the server holds on behalf of its clients (README: "Memory for clients"). */
export class ClientMemory {
  readonly #limit: number;
  readonly #cuts: ReasonCounter;
  readonly users = new Set<MemoryUser>();
  /** Whether the last check left more than the limit. Then no long request may begin to wait. */
  isExceeded = false;
  #added = 0;

  /** @param limit in bytes @param cuts counts disconnected users */
  constructor(limit: number, cuts = new ReasonCounter()) {
    this.#limit = limit;
    this.#cuts = cuts;
  }

  /** The memory of all users, in bytes. */
  get total(): number {
    let total = 0;
    for (const { bytes } of this.users) total += bytes;
    for (const { heldBytes } of this.holders().keys()) total += heldBytes;
    return total;
  }

  /** What users hold together, with the number of its users. */
  holders(): ReadonlyMap<Held, number> {
    const holders = new Map<Held, number>();
    for (const { held } of this.users) if (held) holders.set(held, (holders.get(held) ?? 0) + 1);
    return holders;
  }

  /** Whether there is no more space for users that wait for nobody, such as event streams. */
  get isScarce(): boolean {
    let bytes = 0;
    for (const user of this.users) if (!user.isWaiting) bytes += user.bytes;
    return bytes > this.#limit * SCARCE;
  }

  /** Records that a user holds more memory. Freed memory is taken into account by `check`. */
  recordGrowth(bytes: number): void {
    this.#added += bytes;
    if (this.#added > this.#limit * GROWTH) this.check();
  }

  /** Sums up. Above the limit, disconnects users that wait, the largest first. */
  check(): void {
    this.#added = 0;
    let openBytes = 0;
    // Users that are closed may still hold the content of unfinished work.
    let closedBytes = 0;
    for (const { bytes, isClosed } of this.users) {
      if (isClosed) closedBytes += bytes;
      else openBytes += bytes;
    }
    for (const { heldBytes } of this.holders().keys()) openBytes += heldBytes;
    if (openBytes > this.#limit) {
      for (const { user, bytes } of this.#largestFirst(({ isWaiting }) => isWaiting)) {
        if (openBytes <= this.#limit) break;
        this.#disconnect(user);
        openBytes -= bytes;
        closedBytes += user.bytes;
      }
    }
    this.isExceeded = openBytes + closedBytes > this.#limit;
  }

  /** Disconnects the wanted user with the most bytes. @returns whether there was one */
  disconnectLargest(isWanted: (user: MemoryUser) => boolean): boolean {
    const [largest] = this.#largestFirst(isWanted);
    if (largest) this.#disconnect(largest.user);
    return largest !== undefined;
  }

  #disconnect(user: MemoryUser): void {
    user.disconnect();
    this.#cuts.add('unread');
  }

  #largestFirst(isWanted: (user: MemoryUser) => boolean) {
    const holders = this.holders();
    const partOf = ({ held }: MemoryUser) =>
      held === undefined ? 0 : held.heldBytes / (holders.get(held) ?? 1);
    return [...this.users]
      .filter(isWanted)
      .map((user) => ({ user, bytes: user.bytes + partOf(user) }))
      .sort((one, other) => other.bytes - one.bytes);
  }
}
