import { clock } from '../../../clock.ts';

/** How long not to look at all users again after none could be disconnected, in milliseconds. */
const RETRY_MS = 5;

/** Something that holds memory on behalf of a client: a connection. */
export interface MemoryUser {
  /** Whether it waits for its client: to send a request, or to read a response. */
  readonly isWaiting: boolean;
  /** Whether its client has not read everything written to it. */
  readonly isUnread: boolean;
  /** Whether content is being sent to its client in steps. */
  readonly isSendingSteps: boolean;
  /** Whether its client has made progress that was not recorded; asked before disconnecting it. */
  hasProgressed(now: number): boolean;
  /** Aborts it, which frees its memory. */
  disconnect(): void;
}

/** The memory that clients make the server hold (README: "Memory for clients"). */
export class ClientMemory {
  readonly #limit: number;
  /** Ordered by last progress, the longest ago first. */
  readonly #bytes = new Map<MemoryUser, number>();
  total = 0;
  /** What was disconnected, and is freed only when its connection has closed. */
  readonly #disconnected = new Map<MemoryUser, number>();
  #disconnectedBytes = 0;
  #retryAt = 0;
  #refuseWaiting = () => false;
  #isRefusing = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get isExceeded(): boolean {
    return this.total > this.#limit;
  }

  /** Whether the limit is exceeded, with what was disconnected and is not freed yet. */
  get isShort(): boolean {
    return this.total + this.#disconnectedBytes > this.#limit;
  }

  /**
   * Records that a user has made progress, and how much it holds now. Past the limit, others are
   * disconnected, since what has just been written to this one may be read in a moment; unless it
   * holds half of the limit by itself.
   */
  progress(user: MemoryUser, bytes: number): void {
    this.remove(user);
    this.#bytes.set(user, bytes);
    this.total += bytes;
    if (!this.isExceeded) return;
    if (clock.now() >= this.#retryAt) {
      const exempt = bytes < this.#limit / 2 ? user : undefined;
      while (this.isExceeded && this.#disconnectLongestWaiting(exempt));
      if (!this.isExceeded) return;
      this.#retryAt = clock.now() + RETRY_MS;
    }
    if (!this.#isRefusing) this.#refuse();
  }

  /**
   * Sets what is called while clients hold too much although none keeps the server waiting.
   * @param refuseWaiting ends the wait of one request for something outside of this process, such
   * as a database: of the one that has waited longest, of those first whose work has had no effect
   * yet. It responds with an error, which releases its content. Returns false if none waits.
   */
  onShortage(refuseWaiting: () => boolean): void {
    this.#refuseWaiting = refuseWaiting;
  }

  /** Refuses about as many requests as necessary, and looks again when they are released. */
  #refuse(): void {
    const mean = this.total / this.#bytes.size;
    const most = Math.ceil((this.total - this.#limit) / mean);
    let refused = 0;
    while (refused < most && this.#refuseWaiting()) refused++;
    this.#isRefusing = refused > 0;
    if (!this.#isRefusing) return;
    clock.setImmediate(() => {
      this.#isRefusing = false;
      if (this.isExceeded) this.#refuse();
    });
  }

  /** Records that a user holds nothing any more. */
  remove(user: MemoryUser): void {
    this.total -= this.#bytes.get(user) ?? 0;
    this.#bytes.delete(user);
    this.#disconnectedBytes -= this.#disconnected.get(user) ?? 0;
    this.#disconnected.delete(user);
  }

  /**
   * Disconnects the user that has waited longest for its client, out of those that hold more than
   * the mean; or a small one, such as an idle connection, but only while these together hold half
   * of the limit: fewer would free next to nothing.
   * @returns whether there was one
   */
  #disconnectLongestWaiting(exempt: MemoryUser | undefined): boolean {
    const mean = this.total / this.#bytes.size;
    const isWaiting = (user: MemoryUser) => user.isWaiting && user !== exempt;
    if (this.disconnectLongest((user, bytes) => isWaiting(user) && bytes > mean)) return true;
    let waiting = 0;
    for (const [user, bytes] of this.#bytes) if (isWaiting(user)) waiting += bytes;
    return waiting > this.#limit / 2 && this.disconnectLongest(isWaiting);
  }

  /** Disconnects the wanted user whose progress is longest ago. @returns whether there was one */
  disconnectLongest(isWanted: (user: MemoryUser, bytes: number) => boolean): boolean {
    for (const [user, bytes] of this.#bytes) {
      if (!isWanted(user, bytes)) continue;
      if (user.hasProgressed(clock.now())) {
        this.#bytes.delete(user);
        this.#bytes.set(user, bytes);
        continue;
      }
      this.remove(user);
      this.#disconnected.set(user, bytes);
      this.#disconnectedBytes += bytes;
      user.disconnect();
      return true;
    }
    return false;
  }
}
