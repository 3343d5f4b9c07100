import assert from 'node:assert/strict';
import { Problem } from '../../../../../src/lib/http/core/problem.ts';
import {
  type Actions,
  CONNECTION_BYTES,
  ConnectionCore,
} from '../../../../../src/lib/http/server/machine/connection-core.ts';
import type { Traffic } from '../../../../../src/lib/http/server/machine/traffic.ts';
import { IncomingContent, Turn } from '../../../../../src/lib/http/server/machine/turn.ts';
import { DEFAULT_SETTINGS } from '../../../../../src/lib/http/server/settings.ts';
import type { Random } from '../../../table/support/random.ts';
import type { Atom, Plan, Script, Sent } from './script.ts';

const MAX_CONTENT = 64 * 1024;
const WAITING_BYTES = 4 * 1024;
const BYTES = Buffer.alloc(MAX_CONTENT);

const refusal = () => new Problem('malformed-request', 'a test refuses it', { close: true });
const notFound = () => new Problem('unknown-path', 'a test has no such path');

/** A request, and what the model knows of it. */
export class Played extends Turn {
  readonly plan: Plan;
  readonly number: number;
  readonly #link: Link;
  /** What the buffer of its content takes: it is doubled when it is full. */
  bufferBytes = 0;
  size = 0;
  isServed = false;
  isDropped = false;

  constructor(link: Link, number: number, sent: Partial<Sent>, incoming?: IncomingContent) {
    super(4_096 + 64 * (number % 40), incoming);
    this.#link = link;
    this.plan = sent.plan ?? 'now';
    this.number = number;
    this.isFinal = sent.isFinal ?? false;
  }

  /** The bytes that it takes, by the model. */
  get modelBytes(): number {
    const waiting = this.isWaiting ? WAITING_BYTES : 0;
    const head = this.isServed ? 0 : this.headBytes;
    return head + waiting + this.bufferBytes + this.workBytes;
  }

  setWork(bytes: number): void {
    this.#link.addBytes(bytes - this.workBytes);
    this.workBytes = bytes;
  }
}

/** Makes a core, or one with a fault. */
export type MakeCore = (link: Link) => ConnectionCore<Played>;

export class Core extends ConnectionCore<Played> {
  constructor(link: Link) {
    super(link, DEFAULT_SETTINGS, link, 0);
  }
}

/**
 * A connection whose client, parser, handler, system and time are played, a move at a time. Fails
 * as soon as something is not as it must be.
 */
export class Link implements Actions<Played>, Traffic {
  readonly core: ConnectionCore<Played>;
  /** How many events the core has had. */
  events = 0;
  bytesRead = 0;
  bytesWritten = 0;
  writableLength = 0;
  readableEnded = false;
  closed = false;
  readonly #random: Random;
  readonly #script: Script;
  /** Requests that the core has, and those of them whose responses are not sent yet. */
  readonly #all: Played[] = [];
  #open: Played[] = [];
  #begun = 0;
  #now = 0;
  /** No less than what it takes: that of the last check, and what was added since. */
  #atMost = CONNECTION_BYTES;
  #segment = 0;
  #arriving: Played | undefined;
  /** Bytes of a header section that is not complete. */
  #partial = 0;
  #isReading = true;
  #isParsing = true;
  #hasLast = false;
  #hasEndedSide = false;
  #isDestroyed = false;
  #isStopped = false;
  #hasShortage = false;
  #working: Played | undefined;
  #sending: { readonly turn: Played; left: number; readonly isLast: boolean } | undefined;
  /** Callbacks of this turn of the event loop, and of later ones. */
  #soon: (() => void)[] = [];
  #later: (() => void)[] = [];

  constructor(random: Random, script: Script, make: MakeCore = (link) => new Core(link)) {
    this.#random = random;
    this.#script = script;
    this.core = make(this);
  }

  /** Plays it to its end. */
  play(): void {
    for (let idle = 0; idle < 3; ) {
      idle = this.#move() ? 0 : idle + 1;
      this.#check();
    }
    this.#settle();
    if (this.#isPeaceful) {
      assert(!this.core.isClosed, 'a client that keeps to everything is not disconnected');
      assert.equal(this.#all.length, this.#sentRequests, 'its requests arrive');
      assert.equal(this.#begun, this.#all.length, 'and each is responded to');
    }
    this.#end();
  }

  /** Makes a move at random. @returns whether there was one */
  #move(): boolean {
    const { ending, segments, readsOneIn } = this.#script;
    const random = this.#random;
    if (random.chance(300)) this.#tick(random.below(30_000));
    if (random.chance(400)) this.#stop();
    const moves: (() => void)[] = [];
    if (this.#later.length > 0) moves.push(() => this.#later.shift()?.());
    if (this.#working) moves.push(() => this.#work());
    if (this.#sending) moves.push(() => this.#send());
    if (this.writableLength > 0 && readsOneIn > 0) {
      moves.push(() => random.chance(readsOneIn) && this.#drain());
    }
    if (!this.#isDestroyed && this.#segment < segments.length) {
      if (this.#isReading) moves.push(() => this.#receive());
      else if (random.chance(20)) moves.push(() => this.#tick(100));
    } else if (!this.#isDestroyed && !this.readableEnded) {
      if (ending === 'half-close' || ending === 'cut') moves.push(() => this.#receiveEnd());
      else if (ending === 'reset') moves.push(() => this.#destroy());
    }
    if (moves.length === 0) return false;
    moves[random.below(moves.length)]?.();
    this.#runSoon();
    return true;
  }

  get #sentRequests(): number {
    return this.#script.segments.flat().filter(({ kind }) => kind === 'head').length;
  }

  /** Whether client and server do nothing that could end the connection. */
  get #isPeaceful(): boolean {
    const { ending, readsOneIn, segments } = this.#script;
    const atoms = segments.flat();
    const isGentle = (atom: Atom) =>
      atom.kind !== 'head' ||
      !(atom.sent.isFinal || atom.sent.awaitsContinue || isHarsh(atom.sent));
    const isServed = ending === 'silence' && readsOneIn > 0 && atoms.every(isGentle);
    return isServed && !this.#isStopped && !this.#hasShortage && this.#now < 5_000;
  }

  /** Lets everything happen that can without its client. */
  #settle(): void {
    for (let i = 0; i < 5_000 && this.#later.length + this.#soon.length > 0; i++) {
      this.#later.shift()?.();
      this.#runSoon();
      while (this.#working) this.#work();
      this.#runSoon();
      this.#check();
    }
  }

  /** After a drain, or enough time, nothing is open. */
  #end(): void {
    if (this.#random.chance(2)) this.#stop();
    for (let i = 0; i < 3_000 && !this.closed; i++) {
      this.#tick(1_000);
      // `node:http` looks for requests that take too long to arrive.
      const isLate = this.#partial > 0 || this.#arriving?.isComplete === false;
      if (i === 12 && (isLate || this.bytesRead === 0)) this.#refuse();
      for (let moves = 0; moves < 20 && this.#move(); moves++) this.#check();
      if (i === 100) this.#event(() => this.core.end());
      this.#settle();
    }
    assert(this.closed, `it closes in the end; its state is ${this.core.state}`);
    this.#settle();
    assert.equal(this.core.bytes, 0, 'it takes nothing any more');
  }

  /** What must be true at any moment. */
  #check(): void {
    const { core } = this;
    if (this.closed || core.isClosed) return;
    const ofTurns = this.#open.reduce((sum, turn) => sum + turn.modelBytes, 0);
    const bytes = core.bytes - core.watch.headBytes;
    assert.equal(bytes, CONNECTION_BYTES + this.writableLength + ofTurns, 'footprint');
    assert(bytes <= this.#atMost, 'it is counted');
    this.#atMost = bytes;
    assert(this.#hasLast === false || core.isOver, 'nothing is served after the last response');
    const [first] = this.#open;
    if (first?.isServed === false && !core.isOver) {
      assert(this.#later.length > 0, 'a request that waits for nothing is served');
    }
  }

  #event<R>(call: () => R): R {
    this.events++;
    return call();
  }

  #runSoon(): void {
    while (this.#soon.length > 0) this.#soon.shift()?.();
  }

  #tick(ms: number): void {
    this.#now += ms;
    if (this.closed) return;
    this.#event(() => this.core.tick(this.#now, this.#partial > 0));
    if (this.#hasEndedSide) this.#event(() => this.core.linger(this.#now));
  }

  #stop(): void {
    this.#isStopped = true;
    this.#event(() => this.core.stop());
    this.#later.push(() => this.#event(() => this.core.end()));
  }

  /** A segment arrives, and is parsed. */
  #receive(): void {
    const atoms = this.#script.segments[this.#segment++] ?? [];
    for (const { bytes } of atoms) this.bytesRead += bytes;
    for (const atom of atoms) {
      if (!this.#isParsing || this.#isDestroyed) return;
      this.#parse(atom);
    }
  }

  #parse(atom: Atom): void {
    this.#partial = atom.kind === 'part of a head' ? this.#partial + atom.bytes : 0;
    switch (atom.kind) {
      case 'part of a head':
        return;
      case 'head':
        this.#receiveHead(atom.sent);
        return;
      case 'piece':
        this.#receivePiece(atom.bytes);
        return;
      case 'end':
        this.#receiveEndOfContent();
        return;
      case 'bad':
        this.#isParsing = false;
        this.#refuse();
    }
  }

  #receiveHead(sent: Sent): void {
    this.#arriving = undefined;
    this.#isParsing = this.#event(() => this.core.accept());
    if (!this.#isParsing) return;
    const { pieces, isDeclared, awaitsContinue } = sent;
    const length = pieces?.reduce((sum, size) => sum + size, 0);
    const incoming =
      pieces && new IncomingContent(this.core, isDeclared ? length : undefined, awaitsContinue);
    const turn = new Played(this, this.#all.length, sent, incoming);
    this.#arriving = turn;
    this.#add(turn);
  }

  #add(turn: Played): void {
    this.#all.push(turn);
    this.#open.push(turn);
    const isExceeded = this.#random.chance(200);
    this.#hasShortage ||= isExceeded;
    this.#event(() => this.core.add(turn, { isExceeded }));
  }

  #receivePiece(bytes: number): void {
    const turn = this.#arriving;
    if (turn?.incoming === undefined) return;
    turn.size += bytes;
    const isTooLarge = turn.isServed && turn.size > MAX_CONTENT;
    if (!this.core.isOver && (isTooLarge || turn.isDropped)) turn.bufferBytes = 0;
    else if (!this.core.isOver) {
      const isFirst = turn.size === bytes;
      if (isFirst) turn.bufferBytes = bytes;
      else if (turn.size > turn.bufferBytes) {
        turn.bufferBytes = Math.max(turn.size, 2 * turn.bufferBytes);
      }
    }
    this.#event(() => turn.incoming?.addPiece(BYTES.subarray(0, bytes)));
  }

  #receiveEndOfContent(): void {
    const { incoming } = this.#arriving ?? {};
    if (incoming === undefined) return;
    incoming.hasArrived = true;
    this.#soon.push(() => this.#event(() => incoming.complete()));
  }

  #receiveEnd(): void {
    this.readableEnded = true;
    const isCut = this.#partial > 0 || this.#arriving?.isComplete === false;
    if (isCut && this.#isParsing) {
      this.#isParsing = false;
      this.#refuse();
    }
    if (this.#hasEndedSide) this.#destroy();
  }

  /** As `Connection` does when `node:http` reports an error. */
  #refuse(): void {
    if (this.core.isOver || this.#hasEndedSide || this.#isDestroyed) return;
    if (!this.#event(() => this.core.fail(refusal()))) return;
    const turn = new Played(this, this.#all.length, { isFinal: true });
    turn.refusal = refusal();
    this.#add(turn);
  }

  /** As `Dispatcher` does. */
  serve(turn: Played): void {
    assert(!this.#hasLast, 'nothing is served after the last response');
    assert(!this.core.isClosed, 'nothing is served once the connection is closed');
    assert.equal(turn, this.#open[0], 'requests are served in their order');
    assert(!turn.isHandled, 'a request is handled once');
    turn.isServed = true;
    if (turn.plan.startsWith('early')) turn.refusal ??= notFound();
    if (turn.refusal !== undefined) {
      turn.isDropped = true;
      turn.bufferBytes = 0;
      turn.incoming?.discard();
      this.#handle(turn);
    } else if (turn.incoming === undefined) this.#handle(turn);
    else {
      const { incoming } = turn;
      if (turn.size > MAX_CONTENT) turn.bufferBytes = 0;
      incoming.read((tooLarge) => {
        turn.refusal ??= tooLarge;
        this.#handle(turn);
      }, MAX_CONTENT);
    }
  }

  #handle(turn: Played): void {
    turn.isHandled = true;
    const isLater = ['later', 'parts', 'early, later', 'throws late'].includes(turn.plan);
    if (isLater) {
      turn.isWaiting = true;
      this.addBytes(turn.bytes);
      this.#working = turn;
    } else this.#respond(turn);
  }

  /** A handler goes on. */
  #work(): void {
    const turn = this.#working;
    if (turn === undefined) return;
    this.#working = undefined;
    this.#respond(turn);
  }

  #respond(turn: Played): void {
    turn.release();
    turn.bufferBytes = 0;
    if (this.#isDestroyed || this.core.isClosed) return;
    assert(!this.#hasLast, 'no response follows the last one');
    assert.equal(turn.number, this.#begun, 'responses are in the order of requests');
    const close = turn.plan === 'last' || turn.isFinal || turn.refusal?.close === true;
    const isLast = this.#event(() => this.core.respond(turn, close));
    assert(isLast || !close, 'a response that closes is the last one');
    const owesMore = this.#open.some((other) => other !== turn && other.hasArrived);
    assert(isLast || owesMore || !this.#isStopped, 'it is the last one after a stop');
    this.#begun++;
    this.#hasLast = isLast;
    this.#write(200);
    if (turn.plan === 'throws late') {
      this.#destroy();
      return;
    }
    const left = turn.plan === 'parts' ? 1 + this.#random.below(5) : 0;
    turn.isSendingSteps = left > 0;
    this.#sending = { turn, left, isLast: isLast || turn.isFinal };
  }

  #write(bytes: number): void {
    assert(!this.#hasEndedSide, 'nothing is written after the end');
    this.bytesWritten += bytes;
    this.writableLength += bytes;
    this.addBytes(bytes);
  }

  /** A response is sent in parts, and has been sent when the system has taken it. */
  #send(): void {
    const sending = this.#sending;
    if (sending === undefined) return;
    const { turn } = sending;
    if (sending.left > 0) {
      sending.left--;
      turn.setWork(sending.left * 1_000);
      this.#write(1_000);
      if (sending.left === 0) turn.isSendingSteps = false;
    } else if (this.writableLength === 0) {
      this.#sending = undefined;
      if (sending.isLast) this.#event(() => this.core.sentLast());
      this.#finish();
    }
  }

  #finish(): void {
    const turn = this.#open.shift();
    if (turn !== undefined) turn.workBytes = 0;
    this.#event(() => this.core.finish());
  }

  /** The client reads. */
  #drain(): void {
    this.writableLength -= Math.min(this.writableLength, 1 + this.#random.below(2_000));
    if (this.writableLength === 0 && this.#hasEndedSide && this.#script.isPolite) this.#destroy();
  }

  /** The connection breaks, or both sides have ended. */
  #destroy(): void {
    if (this.#isDestroyed) return;
    this.#isDestroyed = true;
    this.#sending = undefined;
    this.#later.push(() => {
      this.closed = true;
      if (this.#open.length > 0) this.#finish();
      this.#event(() => this.core.close());
    });
  }

  beginInTurn(turn: Played): void {
    this.#later.push(() => {
      if (!this.#isDestroyed && !this.core.isClosed) this.#event(() => this.core.begin(turn));
    });
  }

  addBytes(bytes: number): void {
    this.#atMost += bytes;
  }

  adjustReading(): void {
    this.#soon.push(() => {
      this.#isReading = this.core.isOver || !this.core.isFull;
    });
  }

  endSide(): void {
    this.#isReading = true;
    this.#hasEndedSide = true;
    this.#hasLast = true;
    this.#event(() => this.core.linger(this.#now));
    if (this.readableEnded && this.writableLength === 0) this.#destroy();
  }

  disconnect(): void {
    this.#destroy();
  }
}

function isHarsh({ plan, pieces = [] }: Sent): boolean {
  const isLarge = pieces.reduce((sum, size) => sum + size, 0) > MAX_CONTENT;
  return isLarge || plan === 'last' || plan === 'throws late';
}
