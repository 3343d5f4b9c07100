import type { Socket } from 'node:net';
import { clock } from '../../clock.ts';

/** The objects that the parser may make in a turn beyond the first ones, before all are held. */
const MAX_OBJECTS = 1_024;

/**
 * The same while connections are accepted. Each may bring objects for milliseconds, and Node accepts
 * one in a turn, so the last one would wait for those of all.
 */
const MAX_OBJECTS_AT_ACCEPT = 64;

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
  /** Whether this turn had so many that all were held. */
  #hadTooMany = false;
  /** Whether a connection was accepted in this turn. */
  #isAccepting = false;
  /** Whether a connection was accepted in the turn before, whose objects come now. */
  #wasAccepting = false;
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
    this.#schedule();
    return this.#isHolding;
  }

  /** Event: the parser has made a further piece of content, or a request that has to wait. */
  record(reader: R): void {
    this.#schedule();
    const isAtAccept = this.#isAccepting || this.#wasAccepting;
    const tooMany = isAtAccept ? MAX_OBJECTS_AT_ACCEPT : MAX_OBJECTS;
    if (++this.#objects < tooMany || this.#hadTooMany) return;
    this.#hadTooMany = true;
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
    this.#hadTooMany = false;
    // A closed one refers to all objects that the parser has made for it.
    this.#slow = this.#slow.filter(({ isClosed }) => !isClosed);
    const mustWait = this.#isHolding && this.#isAccepting && this.#turnsLeft-- > 0;
    this.#wasAccepting = this.#isAccepting;
    this.#isAccepting = false;
    if (!mustWait) this.#readOn();
    if (this.#isHolding || this.#slow.length > 0 || this.#wasAccepting) this.#schedule();
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
