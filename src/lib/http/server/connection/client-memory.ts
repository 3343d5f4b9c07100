import { clock, type Timer } from '../../../clock.ts';
import type { ConnectionCore } from '../machine/connection-core.ts';
import type { ExchangeCore } from '../machine/exchange-core.ts';

/** How long a client must have been quiet to be disconnected, in milliseconds. */
const QUIET_MS = 50;

/** The growth after which the total is computed again, as a share of the limit. */
const GROWTH = 1 / 8;

/** A connection, which holds memory on behalf of its client until it is disconnected. */
export type MemoryUser = Pick<
  ConnectionCore<ExchangeCore>,
  'bytes' | 'isClosed' | 'isWaiting' | 'isUnread' | 'isSending' | 'quietMs' | 'disconnect'
>;

/** The memory that the server holds on behalf of its clients (README: "Memory for clients"). */
export class ClientMemory {
  readonly #limit: number;
  /** All users of memory. A check removes closed users without memory. */
  readonly users = new Set<MemoryUser>();
  /** Whether the last check left more than the limit. Then no request may begin to wait. */
  isExceeded = false;
  #added = 0;
  #nextCheck: Timer | undefined;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The memory of all users, in bytes. */
  get total(): number {
    let total = 0;
    for (const { bytes } of this.users) total += bytes;
    return total;
  }

  /** Records that a user holds more memory. Only `check` takes freed memory into account. */
  add(bytes: number): void {
    this.#added += bytes;
    if (this.#added > this.#limit * GROWTH) this.check();
  }

  /**
   * Computes the total. If open connections exceed the limit, disconnects clients that wait and are
   * quiet, but none with less than half of the average, because small connections must not pay for
   * large ones that are busy. Closed connections may still hold the content of unfinished work.
   */
  check(): void {
    this.#added = 0;
    let count = 0;
    let open = 0;
    let closed = 0;
    for (const user of this.users) {
      const { bytes, isClosed } = user;
      if (!isClosed) {
        open += bytes;
        count++;
      } else if (bytes > 0) closed += bytes;
      else this.users.delete(user);
    }
    const now = clock.now();
    const minBytes = open / count / 2;
    const isQuiet = (user: MemoryUser) =>
      user.isWaiting && user.bytes >= minBytes && user.quietMs(now) >= QUIET_MS;
    const quiet = open > this.#limit ? this.#largestFirst(isQuiet) : [];
    for (const user of quiet) {
      if (open <= this.#limit) break;
      open -= user.bytes;
      user.disconnect();
      closed += user.bytes;
    }
    this.isExceeded = open + closed > this.#limit;
    clock.clear(this.#nextCheck);
    this.#nextCheck = this.isExceeded
      ? clock.setTimeout(() => this.check(), QUIET_MS).unref()
      : undefined;
  }

  /** Disconnects the wanted user with the most bytes. @returns whether there was one */
  disconnectLargest(isWanted: (user: MemoryUser) => boolean): boolean {
    const [user] = this.#largestFirst(isWanted);
    user?.disconnect();
    return user !== undefined;
  }

  /** The wanted users, by descending bytes; ties by quiet time, longest first. */
  #largestFirst(isWanted: (user: MemoryUser) => boolean): readonly MemoryUser[] {
    const now = clock.now();
    return [...this.users]
      .filter(isWanted)
      .map((user) => ({ user, bytes: user.bytes, quietMs: user.quietMs(now) }))
      .sort((one, other) => other.bytes - one.bytes || other.quietMs - one.quietMs)
      .map(({ user }) => user);
  }
}
