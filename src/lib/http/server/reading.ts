import type { Socket } from 'node:net';
import { clock } from '../../clock.ts';

/** The objects that the parser may make in a turn beyond the first ones, before all are held. */
const MAX_OBJECTS = 1_024;

/** The most turns in which connections are held because others are accepted. */
const MAX_HELD_TURNS = 512;

/** A connection that is read. */
interface Reader {
  readonly isClosed: boolean;
  /** Reads nothing until `release`. */
  hold(): void;
  release(): void;
}

/**
 * Bounds the work of the parser in a turn of the event loop. A segment of 64 KiB may have thousands of
 * tiny requests or pieces of content, and Node would read up to 32 segments of each connection before
 * it accepts another one. When a turn has too many of them, all connections are held: until the next
 * turn, or while others are accepted. The one with the last of them is slow: of the slow ones, one is
 * read in a turn.
 */
export class Reading<R extends Reader> {
  /** The open connections, the oldest first. */
  readonly #readers: ReadonlyMap<Socket, R>;
  #slow: readonly R[] = [];
  /** The objects of this turn. */
  #objects = 0;
  #isHolding = false;
  /** Whether a connection was accepted in this turn. */
  #isAccepting = false;
  /** For how many more turns connections may be held, because others are accepted. */
  #turnsLeft = 0;
  #isNewestFirst = false;
  /** Whether `#endTurn` will be called. */
  #isScheduled = false;

  constructor(readers: ReadonlyMap<Socket, R>) {
    this.#readers = readers;
  }

  /** Event: a connection was accepted. @returns whether it is held until `release` */
  accept(): boolean {
    this.#isAccepting = true;
    return this.#isHolding;
  }

  /** Event: the parser has made a further piece of content, or a request that has to wait. */
  record(reader: R): void {
    this.#schedule();
    if (++this.#objects !== MAX_OBJECTS) return;
    this.#slow = [...this.#slow, reader];
    this.#isHolding = true;
    this.#turnsLeft = MAX_HELD_TURNS;
    for (const each of this.#readers.values()) each.hold();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    clock.setImmediate(this.#endTurn);
  }

  readonly #endTurn = (): void => {
    this.#isScheduled = false;
    this.#objects = 0;
    // A closed one refers to all objects that the parser has made for it.
    this.#slow = this.#slow.filter(({ isClosed }) => !isClosed);
    const mustWait = this.#isHolding && this.#isAccepting && this.#turnsLeft-- > 0;
    this.#isAccepting = false;
    if (!mustWait) this.#readOn();
    if (this.#isHolding || this.#slow.length > 0) this.#schedule();
  };

  /** Releases all but the slow ones, or else one of these. */
  #readOn(): void {
    const [next, ...others] = this.#slow;
    if (!this.#isHolding) {
      this.#slow = others;
      next?.release();
    } else {
      this.#isHolding = false;
      const slow = new Set(this.#slow);
      const all = [...this.#readers.values()];
      // From each end in turn, so that neither a newcomer nor the first of all waits for all others.
      this.#isNewestFirst = !this.#isNewestFirst;
      for (const each of this.#isNewestFirst ? all.reverse() : all) {
        if (!slow.has(each)) each.release();
      }
    }
  }
}
