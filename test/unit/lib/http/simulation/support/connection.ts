import assert from 'node:assert/strict';
import { Problem } from '../../../../../../src/lib/http/core/problem.ts';
import {
  CONNECTION_BYTES,
  type ConnectionActions,
  ConnectionCore,
  type CoreContext,
  MAX_AHEAD,
} from '../../../../../../src/lib/http/server/machine/connection-core.ts';
import { ExchangeCore } from '../../../../../../src/lib/http/server/machine/exchange-core.ts';
import {
  IncomingContent,
  MAX_AHEAD_BYTES,
} from '../../../../../../src/lib/http/server/machine/incoming-content.ts';
import type { Traffic } from '../../../../../../src/lib/http/server/machine/traffic.ts';
import { DEFAULT_SETTINGS } from '../../../../../../src/lib/http/server/settings.ts';
import type { Random } from '../../../table/support/random.ts';
import type { Atom, Script, Sent } from './script.ts';

const MAX_CONTENT = 64 * 1024;
const BYTES = Buffer.alloc(MAX_CONTENT);

const malformed = () => new Problem('malformed-request', 'a test refuses it', { close: true });
const notFound = () => new Problem('unknown-path', 'a test has no such path');

/** A request that counts its checks and calls of its handler. */
export class SimulatedRequest extends ExchangeCore {
  readonly sent: Sent;
  readonly number: number;
  readonly textBytes: number;
  /** The number of calls of `check` and `handle`. */
  checks = 0;
  handled = 0;

  constructor(number: number, sent: Sent) {
    const { pieces, isDeclared, awaitsContinue } = sent;
    const length = pieces?.reduce((sum, size) => sum + size, 0);
    super(pieces && new IncomingContent(isDeclared ? length : undefined, awaitsContinue));
    this.sent = sent;
    this.number = number;
    this.textBytes = 50 * (number % 40);
    this.isFinal = sent.isFinal;
  }
}

/** Makes a core, or one with a fault. */
export type MakeCore = (connection: SimulatedConnection) => ConnectionCore<SimulatedRequest>;

export class Core extends ConnectionCore<SimulatedRequest> {
  constructor(connection: SimulatedConnection) {
    super(connection, connection, connection, 0);
  }
}

/**
 * A connection whose client, parser, handler, system and time are played, a move at a time. Fails
 * as soon as something is not as it must be.
 */
export class SimulatedConnection
  implements ConnectionActions<SimulatedRequest>, CoreContext<SimulatedRequest>, Traffic
{
  readonly settings = DEFAULT_SETTINGS;
  readonly clients = {
    add: (bytes: number) => {
      this.#atMost += bytes;
    },
  };
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
  /** All requests, and the requests whose responses are not sent. */
  readonly #all: SimulatedRequest[] = [];
  #open: SimulatedRequest[] = [];
  #begun = 0;
  #now = 0;
  /** An upper bound of the core's bytes: its bytes at the last check, and all bytes added since. */
  #atMost = CONNECTION_BYTES;
  #segment = 0;
  #arriving: SimulatedRequest | undefined;
  /** Whether a header section has begun to arrive. */
  #isPartial = false;
  #isParsing = true;
  #hasLast = false;
  #hasEndedSide = false;
  #clientHasEnded = false;
  #isDestroyed = false;
  #lingerEnd = Number.POSITIVE_INFINITY;
  #working: SimulatedRequest | undefined;
  #sending: { readonly request: SimulatedRequest; left: number } | undefined;
  /** Callbacks of this turn of the event loop, and of later ones. */
  readonly #soon: (() => void)[] = [];
  readonly #later: (() => void)[] = [];

  constructor(random: Random, script: Script, make: MakeCore = (each) => new Core(each)) {
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
    if (this.#isPeaceful) {
      assert(!this.core.isClosed, 'a client that keeps to everything is not disconnected');
      const heads = this.#script.segments.flat().filter(({ kind }) => kind === 'head');
      assert.equal(this.#begun, heads.length, 'each of its requests is responded to');
    }
    if (this.#random.chance(2)) this.#stop();
    for (let i = 0; i < 3_000 && !this.closed; i++) {
      this.#tick(1_000);
      // `node:http` looks for requests that take too long to arrive.
      const isLate = this.#isPartial || this.#arriving?.hasArrived === false;
      if (i === 12 && (isLate || this.bytesRead === 0)) this.#refuse();
      for (let moves = 0; moves < 20 && this.#move(); moves++) this.#check();
      if (i === 200) this.#event(() => this.core.end());
    }
    assert(this.closed, `it closes in the end; its state is ${this.core.state}`);
    while (this.#move());
    assert.equal(this.core.bytes, 0, 'it takes nothing any more');
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
    if (this.writableLength > 0 && readsOneIn > 0 && random.chance(readsOneIn)) {
      moves.push(() => this.#drain());
    }
    if (!this.#isDestroyed && this.#segment < segments.length) moves.push(() => this.#receive());
    else if (!this.#isDestroyed && !this.#clientHasEnded) {
      if (ending === 'half-close' || ending === 'cut') moves.push(() => this.#receiveEnd());
      else if (ending === 'reset') moves.push(() => this.#destroy());
    }
    if (moves.length === 0) return readsOneIn > 0 && this.writableLength > 0;
    moves[random.below(moves.length)]?.();
    while (this.#soon.length > 0) this.#soon.shift()?.();
    return true;
  }

  /** Whether client and server do nothing that could end the connection. */
  get #isPeaceful(): boolean {
    const { ending, readsOneIn, segments } = this.#script;
    const isGentle = (atom: Atom) => atom.kind !== 'head' || isGentleRequest(atom.sent);
    const isServed = ending === 'silence' && readsOneIn > 0 && segments.flat().every(isGentle);
    const isAhead = this.#all.some(({ isFinal }) => isFinal);
    return isServed && !this.isStopping && !isAhead && this.#now < 5_000;
  }

  /** The rules that hold at any moment. */
  #check(): void {
    const { core } = this;
    if (this.closed || core.isClosed) return;
    const bytes = core.bytes - core.watch.headBytes;
    const kept = this.#open.reduce((sum, { content, work }) => {
      return sum + content.length + (work?.bytes ?? 0);
    }, CONNECTION_BYTES + this.writableLength);
    assert(bytes >= kept, 'it counts what it keeps');
    assert(bytes <= this.#atMost, 'it reports what it takes');
    this.#atMost = bytes;
    const ahead = this.#open.slice(1);
    assert(ahead.length <= MAX_AHEAD, 'few requests wait');
    const aheadBytes = ahead.reduce((sum, each) => sum + each.arrivedBytes, 0);
    assert(aheadBytes <= 3 * MAX_AHEAD_BYTES + 2_000, 'few bytes wait');
    assert(!this.#hasLast || core.isOver, 'nothing is served after the last response');
    const [first] = this.#open;
    if (first?.checks === 0 && !core.isOver) {
      assert(this.#later.length > 0, 'a request whose turn has come is served');
    }
  }

  #event<R>(call: () => R): R {
    this.events++;
    return call();
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
    this.#isPartial = atom.kind === 'part of a head';
    const request = this.#arriving;
    if (atom.kind === 'head') {
      this.#isParsing = this.#event(() => this.core.accept());
      this.#arriving = undefined;
      if (this.#isParsing) this.#add(atom.sent);
    } else if (atom.kind === 'bad') {
      this.#isParsing = false;
      this.#refuse();
    } else if (atom.kind === 'piece' && request) {
      this.#event(() => this.core.addContent(request, BYTES.subarray(0, atom.bytes)));
    } else if (atom.kind === 'end' && request) {
      this.#event(() => this.core.endContent(request, request.sent.hasTrailers));
    }
  }

  #add(sent: Sent, refusal?: Problem): void {
    const request = new SimulatedRequest(this.#all.length, sent);
    request.refusal = refusal;
    this.#arriving = request;
    this.#all.push(request);
    this.#open.push(request);
    this.#event(() => this.core.add(request));
  }

  #receiveEnd(): void {
    this.#clientHasEnded = true;
    if ((this.#isPartial || this.#arriving?.hasArrived === false) && this.#isParsing) {
      this.#isParsing = false;
      this.#refuse();
    }
    if (this.#hasEndedSide) this.#destroy();
  }

  /** As `Connection` does when `node:http` reports an error. */
  #refuse(): void {
    if (this.core.isOver || this.#hasEndedSide || this.#isDestroyed) return;
    if (!this.#event(() => this.core.fail(malformed()))) return;
    const sent = { plan: 'now', pieces: undefined, isFinal: false } as const;
    this.#add(
      { ...sent, isDeclared: true, awaitsContinue: false, hasTrailers: false },
      malformed(),
    );
  }

  check(request: SimulatedRequest): Problem | undefined {
    assert(!this.#hasLast, 'nothing is served after the last response');
    assert(!this.core.isClosed, 'nothing is served after the connection has closed');
    assert.equal(request, this.#open[0], 'requests are served in their order');
    assert.equal(++request.checks, 1, 'a request is checked once');
    request.incoming?.setLimit(MAX_CONTENT);
    return request.sent.plan.startsWith('early') ? notFound() : undefined;
  }

  handle(request: SimulatedRequest): void {
    assert.equal(++request.handled, 1, 'a request is handled once');
    assert(request.hasArrived || request.refusal, 'a request is handled when it has arrived');
    request.handle();
    if (['now', 'early', 'last'].includes(request.sent.plan)) this.#respond(request);
    else {
      this.#event(() => this.core.defer(request));
      this.#working = request;
    }
  }

  sendContinue(): void {
    this.#write(25);
  }

  /** A handler goes on. */
  #work(): void {
    const request = this.#working;
    this.#working = undefined;
    if (request) this.#respond(request);
  }

  #respond(request: SimulatedRequest): void {
    request.release();
    if (this.#isDestroyed || this.core.isClosed) return;
    assert(!this.#hasLast, 'no response follows the last one');
    assert.equal(request.number, this.#begun, 'responses are in the order of requests');
    const close = request.sent.plan === 'last';
    const isLast = this.#event(() => this.core.beginResponse(request, close));
    assert(isLast || !(close || request.isFinal), 'a response that closes is the last one');
    const isDue = isLast || this.#open.length > 1 || !this.isStopping;
    assert(isDue, 'it is the last one after a stop');
    this.#begun++;
    this.#hasLast = isLast;
    this.#write(200);
    if (request.sent.plan === 'throws late') this.#destroy();
    else {
      const left = request.sent.plan === 'parts' ? 1 + this.#random.below(5) : 0;
      this.#sending = { request, left };
    }
  }

  #write(bytes: number): void {
    assert(!this.#hasEndedSide, 'nothing is written after the end');
    this.bytesWritten += bytes;
    this.writableLength += bytes;
    this.clients.add(bytes);
  }

  /** A response is sent in parts, and has been sent when the system has taken it. */
  #send(): void {
    const { request, left } = this.#sending ?? assert.fail();
    if (left > 0) {
      this.#sending = { request, left: left - 1 };
      request.work = { bytes: left * 1_000 };
      this.clients.add(left * 1_000);
      this.#write(1_000);
    } else if (this.writableLength === 0) {
      this.#sending = undefined;
      this.#open.shift();
      this.#event(() => this.core.finish());
    }
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
      this.#open = [];
      this.#event(() => this.core.close());
    });
  }

  afterSegment(request: SimulatedRequest): void {
    this.#soon.push(() => this.#event(() => this.core.parsed(request)));
  }

  serveSoon(request: SimulatedRequest): void {
    this.#later.push(() => this.#event(() => this.core.serve(request)));
  }

  endSide(): void {
    assert(!this.#hasEndedSide, 'it ends its side once');
    this.#hasEndedSide = true;
    this.#hasLast = true;
    this.#lingerEnd = this.#now + 1_000;
    if (this.#clientHasEnded && this.writableLength === 0) this.#destroy();
  }

  disconnect(): void {
    this.#destroy();
  }
}

/** Whether a request keeps its connection open, even if other bytes come with it or after it. */
function isGentleRequest({ plan, pieces = [], isDeclared, ...sent }: Sent): boolean {
  const isLarge = pieces.reduce((sum, size) => sum + size, 0) > MAX_CONTENT;
  const isRefused = plan.startsWith('early') && pieces.length > 0 && !isDeclared;
  const isLast = plan === 'last' || plan === 'throws late' || sent.isFinal || sent.hasTrailers;
  return !(isLarge || isRefused || isLast || sent.awaitsContinue);
}
