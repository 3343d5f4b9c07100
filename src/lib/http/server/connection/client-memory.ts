import { clock } from '../../../clock.ts';
import type { ConnectionCore } from '../machine/connection-core.ts';
import type { Turn } from '../machine/turn.ts';

/** The pause after a look at all users, unless the interval asks for one, in milliseconds. */
const PAUSE_MS = 5;

/** A connection, which holds memory on behalf of its client, until it is disconnected. */
export type MemoryUser = Pick<
  ConnectionCore<Turn>,
  | ('bytes' | 'isClosed' | 'isWaiting' | 'isUnread' | 'isSendingSteps')
  | ('quietSince' | 'disconnect')
>;

/** The memory that clients make the server hold (README: "Memory for clients"). */
export class ClientMemory {
  readonly #limit: number;
  /** All that hold memory; those that have closed go with the next look. */
  readonly users = new Set<MemoryUser>();
  /** No less than the total: that of the last look, and what was added since. */
  #atMost = 0;
  #isPausing = false;
  #wasExceeded = false;
  #refuseWaiting = () => false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** What all users hold now, in bytes. */
  get total(): number {
    return bytesOf(this.users);
  }

  /** Whether that is too much; said for some milliseconds more, once a look has left too much. */
  get isExceeded(): boolean {
    this.add(0);
    // What was added in a pause may be gone again.
    if (this.#excess > 0 && !this.#wasExceeded) this.#atMost = this.total;
    return this.#excess > 0;
  }

  get #excess(): number {
    return this.#atMost - this.#limit;
  }

  /** Event: a user holds so many more bytes. When it holds less, only a look finds out. */
  add(bytes: number): void {
    this.#atMost += bytes;
    if (this.#excess > 0 && !this.#isPausing) this.look();
  }

  /** Computes the total; past the limit, frees memory. */
  look(): void {
    for (const user of this.users) {
      if (user.isClosed && user.bytes === 0) this.users.delete(user);
    }
    this.#atMost = this.total;
    if (this.#excess > 0) this.#free();
    this.#wasExceeded = this.#excess > 0;
    this.#isPausing = true;
    const goOn = () => {
      this.#isPausing = false;
      this.add(0);
    };
    clock.setTimeout(goOn, PAUSE_MS).unref();
  }

  #free(): void {
    const mean = this.#atMost / this.users.size;
    this.#disconnectWaiting(mean, clock.now());
    // Each frees about as much as who holds more than others, once it has been responded to.
    const heavy = [...this.users].filter(({ bytes }) => bytes >= mean);
    const freed = bytesOf(heavy) / heavy.length;
    for (let excess = this.#excess; excess > 0 && this.#refuseWaiting(); ) excess -= freed;
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

  /**
   * Disconnects clients that keep the server waiting: those that hold more than the mean, then
   * others, such as idle ones, but only if these hold half of the limit: fewer would free next to
   * nothing. Spares one that has just read, and may read the rest in a moment, unless it holds half
   * of the limit by itself.
   */
  #disconnectWaiting(mean: number, now: number): void {
    const half = this.#limit / 2;
    const waiting = [...this.users].filter(
      (user) => user.isWaiting && (user.quietSince(now) < now || user.bytes >= half),
    );
    const small = waiting.filter(({ bytes }) => bytes <= mean);
    const large = waiting.filter(({ bytes }) => bytes > mean);
    for (const users of bytesOf(small) > half ? [large, small] : [large]) {
      for (const user of quietLongest(users, now)) {
        if (this.#excess <= 0) return;
        this.#atMost -= user.bytes;
        user.disconnect();
      }
    }
  }

  /** Disconnects the wanted user that has been quiet longest. @returns whether there was one */
  disconnectLongest(isWanted: (user: MemoryUser) => boolean): boolean {
    const [user] = quietLongest([...this.users].filter(isWanted), clock.now());
    user?.disconnect();
    return user !== undefined;
  }
}

function quietLongest(users: MemoryUser[], now: number): MemoryUser[] {
  return users.sort((one, other) => one.quietSince(now) - other.quietSince(now));
}

function bytesOf(users: Iterable<MemoryUser>): number {
  let total = 0;
  for (const { bytes } of users) total += bytes;
  return total;
}
