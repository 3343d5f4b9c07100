import assert from 'node:assert/strict';
import { Problem } from '../../../../../../src/lib/http/core/problem.ts';
import {
  CONNECTION_BYTES,
  type ConnectionActions,
  ConnectionCore,
  MAX_AHEAD,
} from '../../../../../../src/lib/http/server/machine/connection-core.ts';
import {
  IncomingContent,
  MAX_AHEAD_BYTES,
  PendingExchange,
} from '../../../../../../src/lib/http/server/machine/pending-exchange.ts';
import type { Traffic } from '../../../../../../src/lib/http/server/machine/traffic.ts';
import { DEFAULT_SETTINGS } from '../../../../../../src/lib/http/server/settings.ts';
import type { Random } from '../../../table/support/random.ts';
import type { Atom, Plan, Script, Sent } from './script.ts';

const MAX_CONTENT = 64 * 1024;
const WAITING_BYTES = 4 * 1024;
const BYTES = Buffer.alloc(MAX_CONTENT);

const refusal = () => new Problem('malformed-request', 'a test refuses it', { close: true });
const notFound = () => new Problem('unknown-path', 'a test has no such path');

/** A request, and what the model knows about it. */
export class SimulatedRequest extends PendingExchange {
  readonly plan: Plan;
  readonly number: number;
  /** What the buffer of its content takes: it is doubled when it is full. */
  bufferBytes = 0;
  readonly textBytes: number;
  size = 0;
  isServed = false;
  isDropped = false;

  constructor(number: number, sent: Partial<Sent>, incoming?: IncomingContent) {
    super(incoming);
    this.textBytes = 50 * (number % 40);
    this.plan = sent.plan ?? 'now';
    this.number = number;
    this.isFinal = sent.isFinal ?? false;
  }

  /** The bytes that it takes, by the model. */
  get modelBytes(): number {
    const waiting = this.isWaiting ? WAITING_BYTES : 0;
    const head = this.isServed ? 0 : 8_192 + 4 * this.textBytes;
    return head + waiting + this.bufferBytes + (this.work?.bytes ?? 0);
  }
}

/** Makes a core, or one with a fault. */
export type MakeCore = (connection: SimulatedConnection) => ConnectionCore<SimulatedRequest>;

export class Core extends ConnectionCore<SimulatedRequest> {
  constructor(connection: SimulatedConnection) {
    super(connection, DEFAULT_SETTINGS, connection, 0);
  }
}

/**
 * A connection whose client, parser, handler, system and time are played, a move at a time. Fails
 * as soon as something is not as it must be.
 */
export class SimulatedConnection implements ConnectionActions<SimulatedRequest>, Traffic {
  readonly core: ConnectionCore<SimulatedRequest>;
  /** How many events the core has had. */
  events = 0;
  bytesRead = 0;
  bytesWritten = 0;
  writableLength = 0;
  isStopping = false;
  stopsSince = Number.POSITIVE_INFINITY;
  closed = false;
  readonly #random: Random;
  readonly #script: Script;
  /** Requests that the core has, and those of them whose responses are not sent yet. */
  readonly #all: SimulatedRequest[] = [];
  #open: SimulatedRequest[] = [];
  #begun = 0;
  #now = 0;
  /** No less than what it takes: that of the last check, and what was added since. */
  #atMost = CONNECTION_BYTES;
  #segment = 0;
  #arriving: SimulatedRequest | undefined;
  /** Bytes of a header section that is not complete. */
  #partial = 0;
  #isParsing = true;
  #hasLast = false;
  #hasEndedSide = false;
  #clientHasEnded = false;
  #isDestroyed = false;
  /** Whether so much has been sent ahead that nothing after it is served. */
  #isAhead = false;
  #lingerEnd = Number.POSITIVE_INFINITY;
  #working: SimulatedRequest | undefined;
  #sending:
    | { readonly request: SimulatedRequest; left: number; readonly isLast: boolean }
    | undefined;
  /** Callbacks of this turn of the event loop, and of later ones. */
  #soon: (() => void)[] = [];
  #later: (() => void)[] = [];

  constructor(
    random: Random,
    script: Script,
    make: MakeCore = (connection) => new Core(connection),
  ) {
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
      moves.push(() => this.#receive());
    } else if (!this.#isDestroyed && !this.#clientHasEnded) {
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
    return isServed && !this.isStopping && !this.#isAhead && this.#now < 5_000;
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
    const ofRequests = this.#open.reduce((sum, request) => sum + request.modelBytes, 0);
    const bytes = core.bytes - core.watch.headBytes;
    assert.equal(bytes, CONNECTION_BYTES + this.writableLength + ofRequests, 'footprint');
    assert(bytes <= this.#atMost, 'it is counted');
    const ahead = this.#open.slice(1).map(({ textBytes, bufferBytes }) => textBytes + bufferBytes);
    assert(ahead.length <= MAX_AHEAD, 'few requests wait');
    const aheadBytes = ahead.reduce((sum, each) => sum + each, 0);
    assert(aheadBytes <= 3 * MAX_AHEAD_BYTES + 2_000, 'few bytes wait');
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
    this.#event(() => this.core.tick(this.#now));
    if (this.#now > this.#lingerEnd) this.#event(() => this.core.disconnect());
  }

  #stop(): void {
    this.isStopping = true;
    this.stopsSince = Math.min(this.stopsSince, this.#now);
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
    const request = new SimulatedRequest(this.#all.length, sent, incoming);
    this.#arriving = request;
    this.#add(request);
  }

  #add(request: SimulatedRequest): void {
    this.#all.push(request);
    this.#open.push(request);
    this.#event(() => this.core.add(request));
    this.#isAhead ||= this.#open.length > 1 && request.isFinal;
  }

  #receivePiece(bytes: number): void {
    const request = this.#arriving;
    if (request?.incoming === undefined) return;
    request.size += bytes;
    const isTooLarge = request.isServed && request.size > MAX_CONTENT;
    if (!this.core.isOver && (isTooLarge || request.isDropped)) request.bufferBytes = 0;
    else if (!this.core.isOver) {
      const isFirst = request.size === bytes;
      if (isFirst) request.bufferBytes = bytes;
      else if (request.size > request.bufferBytes) {
        request.bufferBytes = Math.max(request.size, 2 * request.bufferBytes);
      }
    }
    if (!this.core.isOver && !request.isServed && request.size > MAX_AHEAD_BYTES) {
      request.isDropped = true;
      request.bufferBytes = 0;
    }
    this.#event(() => request.incoming?.addPiece(BYTES.subarray(0, bytes)));
    this.#isAhead ||= request.isFinal;
  }

  #receiveEndOfContent(): void {
    const { incoming } = this.#arriving ?? {};
    if (incoming === undefined) return;
    this.#event(() => incoming.end());
    this.#soon.push(() => this.#event(() => incoming.complete()));
  }

  #receiveEnd(): void {
    this.#clientHasEnded = true;
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
    const request = new SimulatedRequest(this.#all.length, { isFinal: true });
    request.refusal = refusal();
    this.#add(request);
  }

  /** As `Dispatcher` does. */
  serve(request: SimulatedRequest): void {
    assert(!this.#hasLast, 'nothing is served after the last response');
    assert(!this.core.isClosed, 'nothing is served once the connection is closed');
    assert.equal(request, this.#open[0], 'requests are served in their order');
    assert(!request.isHandled, 'a request is handled once');
    request.isServed = true;
    if (request.plan.startsWith('early')) request.refusal ??= notFound();
    if (request.refusal !== undefined) {
      request.isDropped = true;
      request.bufferBytes = 0;
      request.incoming?.discard();
      this.#handle(request);
    } else if (request.incoming === undefined) this.#handle(request);
    else {
      const { incoming } = request;
      if (request.size > MAX_CONTENT) request.bufferBytes = 0;
      incoming.read((tooLarge) => {
        request.refusal ??= tooLarge;
        this.#handle(request);
      }, MAX_CONTENT);
    }
  }

  #handle(request: SimulatedRequest): void {
    request.isHandled = true;
    const isLater = ['later', 'parts', 'early, later', 'throws late'].includes(request.plan);
    if (isLater) {
      request.isWaiting = true;
      this.addBytes(request.bytes);
      this.#working = request;
    } else this.#respond(request);
  }

  /** A handler goes on. */
  #work(): void {
    const request = this.#working;
    if (request === undefined) return;
    this.#working = undefined;
    this.#respond(request);
  }

  #respond(request: SimulatedRequest): void {
    request.release();
    request.bufferBytes = 0;
    if (this.#isDestroyed || this.core.isClosed) return;
    assert(!this.#hasLast, 'no response follows the last one');
    assert.equal(request.number, this.#begun, 'responses are in the order of requests');
    const close = request.plan === 'last' || request.isFinal || request.refusal?.close === true;
    const isLast = this.#event(() => this.core.beginResponse(request, close));
    assert(isLast || !close, 'a response that closes is the last one');
    const owesMore = this.#open.some((other) => other !== request);
    assert(isLast || owesMore || !this.isStopping, 'it is the last one after a stop');
    this.#begun++;
    this.#hasLast = isLast;
    this.#write(200);
    if (request.plan === 'throws late') {
      this.#destroy();
      return;
    }
    const left = request.plan === 'parts' ? 1 + this.#random.below(5) : 0;
    request.work = left > 0 ? { bytes: 0 } : undefined;
    this.#sending = { request, left, isLast: isLast || request.isFinal };
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
    const { request } = sending;
    if (sending.left > 0) {
      sending.left--;
      const work = { bytes: sending.left * 1_000 };
      this.addBytes(work.bytes);
      request.work = work;
      this.#write(1_000);
    } else if (this.writableLength === 0) {
      this.#sending = undefined;
      if (sending.isLast) this.#event(() => this.core.sentLast());
      this.#finish();
    }
  }

  #finish(): void {
    this.#open.shift();
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

  beginSoon(request: SimulatedRequest): void {
    this.#later.push(() => {
      if (!this.#isDestroyed && !this.core.isClosed) this.#event(() => this.core.begin(request));
    });
  }

  addBytes(bytes: number): void {
    this.#atMost += bytes;
  }

  endSide(): void {
    this.#hasEndedSide = true;
    this.#hasLast = true;
    this.#lingerEnd = this.#now + 1_000;
    if (this.#clientHasEnded && this.writableLength === 0) this.#destroy();
  }

  disconnect(): void {
    this.#destroy();
  }
}

function isHarsh({ plan, pieces = [] }: Sent): boolean {
  const isLarge = pieces.reduce((sum, size) => sum + size, 0) > MAX_CONTENT;
  return isLarge || plan === 'last' || plan === 'throws late';
}
