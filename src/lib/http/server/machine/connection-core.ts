import { closingProblem, type Problem } from '../../core/problem.ts';
import { contentTooLarge } from '../../request/header-section.ts';
import type { HttpSettings } from '../settings.ts';
import { DEFERRED_BYTES, type ExchangeCore } from './exchange-core.ts';
import { MAX_AHEAD_BYTES } from './incoming-content.ts';
import { type Traffic, TrafficWatch } from './traffic.ts';

/**
 * The states of a connection, in order. It never goes back (README: "How a connection ends").
 * - `open`: requests are served.
 * - `ending`: only requests that have arrived are served.
 * - `lingering`: the last response has begun; anything that still arrives is ignored.
 * - `closed`.
 */
const STATES = ['open', 'ending', 'lingering', 'closed'] as const;
export type State = (typeof STATES)[number];

/** The settings, state and functions of a server that the cores of its connections share. */
export interface CoreContext<T extends ExchangeCore> {
  readonly settings: HttpSettings;
  /** Records that a connection holds more memory. */
  readonly clients: { add(bytes: number): void };
  /** Whether the server stops. Then a response is the last one, unless other responses are due. */
  readonly isStopping: boolean;
  /** When the server began to close connections, on the clock of `tick`. Infinity until then. */
  readonly stopsSince: number;
  /** Checks the header section of a request whose turn has come, and sets its limit of content. */
  readonly check: (exchange: T) => Problem | undefined;
  /** Handles a request, or responds with its refusal. */
  readonly handle: (exchange: T) => void;
}

/** The actions of a core, performed by the owner of the socket. */
export interface ConnectionActions<T extends ExchangeCore> {
  /** Sends a 100 (Continue), so that the client sends its content. */
  sendContinue(): void;
  /** Calls `parsed` when the rest of the TCP segment that is being parsed has been parsed. */
  afterSegment(exchange: T): void;
  /** Calls `serve`, in a later turn of the event loop unless this one has time. */
  serveSoon(exchange: T): void;
  /** Ends the sending side when all is written. Disconnects if the client keeps its side open. */
  endSide(): void;
  /** Closes at once. @param isReset whether with a TCP reset */
  disconnect(isReset: boolean): void;
}

/** The memory of a connection itself, in bytes: socket and parser. */
export const CONNECTION_BYTES = 8 * 1024;

/** The maximum number of requests that wait behind a response. */
export const MAX_AHEAD = 64;

/**
 * The state machine of a connection, without a socket. Its methods are events. It reacts by calling
 * actions. It serves requests one after the other, because only safe methods may run in parallel
 * (RFC 9112, section 9.3.2), and keeps track of the responses that are due.
 */
export class ConnectionCore<T extends ExchangeCore> {
  readonly #traffic: Traffic;
  readonly #context: CoreContext<T>;
  readonly #actions: ConnectionActions<T>;
  readonly watch: TrafficWatch;
  state: State = 'open';
  /** Requests whose responses have not been sent, in order. The first one is served. */
  readonly #pending: T[] = [];
  /** The request whose turn it is. */
  served: T | undefined;
  /** The latest request, until its response has been sent and all of its content has arrived. */
  #newest: T | undefined;

  /** @param now the time in milliseconds, from the same clock as the `now` of events */
  constructor(
    traffic: Traffic,
    context: CoreContext<T>,
    actions: ConnectionActions<T>,
    now: number,
  ) {
    this.#traffic = traffic;
    this.#context = context;
    this.#actions = actions;
    this.watch = new TrafficWatch(traffic, context.settings, now);
  }

  /** Event: a header section has arrived. @returns whether its request is to be served */
  accept(): boolean {
    this.watch.recordParsed();
    return !this.isOver && this.#newest?.isFinal !== true;
  }

  /** Event: there is one more request to respond to. */
  add(exchange: T): void {
    this.#newest = exchange;
    if (this.#pending.push(exchange) === 1) this.serve(exchange);
    else {
      this.#context.clients.add(exchange.headBytes);
      this.#limitAhead(exchange);
    }
  }

  /** Event: the turn of a request has come. */
  serve(exchange: T): void {
    if (this.isOver) return;
    this.served = exchange;
    const refusal = this.#context.check(exchange);
    if (refusal !== undefined) exchange.refuse(refusal);
    const { incoming } = exchange;
    if (exchange.refusal === undefined && incoming?.isTooLarge) this.#refuseTooLarge(exchange);
    const isComplete = exchange.state === 'waiting';
    if (isComplete) this.#context.handle(exchange);
    else if (exchange.refusal !== undefined) this.#actions.afterSegment(exchange);
    else if (incoming?.awaitsContinue) {
      incoming.awaitsContinue = false;
      this.#actions.sendContinue();
    }
  }

  /** Event: a piece of content has arrived. */
  addContent(exchange: T, piece: Buffer): void {
    const { incoming } = exchange;
    this.watch.recordParsed();
    if (this.isOver || incoming === undefined) return;
    const { keptBytes, isTooLarge } = incoming;
    incoming.add(piece);
    this.#context.clients.add(Math.max(0, incoming.keptBytes - keptBytes));
    if (exchange !== this.served) this.#limitAhead(exchange);
    else if (incoming.isTooLarge && !isTooLarge) {
      this.#refuseTooLarge(exchange);
      this.#actions.afterSegment(exchange);
    }
  }

  /** Event: all content of a request has arrived. Trailer fields may close the connection. */
  endContent(exchange: T, hasTrailers: boolean): void {
    this.watch.recordParsed();
    if (exchange.incoming !== undefined) exchange.incoming.hasArrived = true;
    exchange.isFinal ||= hasTrailers;
    this.#actions.afterSegment(exchange);
  }

  /** Event: the TCP segment with the latest bytes of a request has been parsed to its end. */
  parsed(exchange: T): void {
    if (!this.isOver && exchange.parsed() && exchange === this.served) {
      this.#context.handle(exchange);
    }
  }

  /** Event: a handler has returned a promise. */
  defer(exchange: T): void {
    exchange.isDeferred = true;
    this.#context.clients.add(DEFERRED_BYTES);
  }

  #refuseTooLarge(exchange: T): void {
    exchange.refuse(contentTooLarge(exchange.incoming?.maxBytes ?? 0));
  }

  /** Makes the newest request the last one if too many requests or bytes wait. */
  #limitAhead(newest: T): void {
    let bytes = 0;
    for (let i = 1; i < this.#pending.length; i++) bytes += this.#pending[i]?.arrivedBytes ?? 0;
    newest.isFinal ||= this.#pending.length > MAX_AHEAD || bytes > MAX_AHEAD_BYTES;
  }

  /** Event: a response begins. @returns whether it is the last one (RFC 9112, section 9.6) */
  beginResponse(exchange: T, close: boolean): boolean {
    exchange.begin();
    const persists = this.state === 'open' && !this.#context.isStopping;
    const isClosing = close || exchange.isClosing;
    if (!isClosing && (persists || this.owesResponses(exchange))) return false;
    this.#advance('lingering');
    return true;
  }

  /** Event: the response that is being sent has been sent. */
  finish(): void {
    const finished = this.#pending.shift();
    finished?.finish();
    if (this.isClosed) return;
    this.served = undefined;
    if (this.#newest === finished && finished?.hasArrived) this.#newest = undefined;
    const [next] = this.#pending;
    if (this.state === 'lingering') this.#actions.endSide();
    // Not at once, because a packet may hold dozens of requests, and one turn would serve all.
    else if (next !== undefined) this.#actions.serveSoon(next);
    else if (this.state === 'ending') this.#endSide();
  }

  /** Event: no more requests will be read. Closes after the responses that are due, or now. */
  end(): void {
    if (this.isOver) return;
    this.#advance('ending');
    if (this.owesResponses()) return;
    if (this.#traffic.bytesWritten > 0) this.#endSide();
    else this.disconnect();
  }

  /** Event: the connection must close at once. @param isReset whether with a TCP reset */
  disconnect(isReset = false): void {
    this.#advance('closed');
    this.#actions.disconnect(isReset);
  }

  /** Event: the socket has closed. */
  close(): void {
    this.#advance('closed');
    this.#pending.shift()?.finish();
    this.#pending.length = 0;
  }

  /**
   * Event: invalid bytes have arrived, bytes were dropped, or a request took too long. Refuses the
   * request that is still arriving, if there is one, when its turn comes.
   * @returns whether to send a separate response: true if no request is pending
   */
  fail(problem: Problem): boolean {
    const newest = this.#newest;
    // A response to a later request could be taken for that of a request that was not read.
    if (newest !== undefined) newest.isFinal = true;
    if (newest?.hasArrived === false && !newest.refuse(problem)) {
      this.end();
      return false;
    }
    this.#advance('ending');
    if (newest?.hasArrived === false) this.#actions.afterSegment(newest);
    return this.#pending.length === 0;
  }

  /**
   * Event: time has passed, and everything that had arrived has been read. Ends the connection of a
   * client that reads or sends nothing for too long.
   */
  tick(now: number): void {
    const client = this.watch.poll(now);
    // Before the first response, and while a request arrives, `node:http` has its own time limits.
    const isIdle = this.#pending.length === 0 && this.#traffic.bytesWritten > 0;
    if (client === 'stalled') this.disconnect();
    else if (client === 'idle' && isIdle) this.end();
    const { stopsSince, settings } = this.#context;
    const silentSince = Math.max(this.watch.silentSince, stopsSince);
    const isSilent = now - silentSince > settings.stopSilenceTimeout;
    if (isSilent && !this.isOver && this.#newest?.state === 'arriving')
      this.fail(this.timeoutProblem);
  }

  /** The problem of a request that takes too long. */
  get timeoutProblem(): Problem {
    const { progress } = this;
    const late = progress === undefined ? 'request' : `content (${progress} so far)`;
    const detail = `The ${late} did not arrive in time; send the request again`;
    return closingProblem('request-timeout', detail);
  }

  /** How much of the content that is arriving has arrived, such as `16 of 40 bytes`. */
  get progress(): string | undefined {
    return this.#newest?.incoming?.progress;
  }

  get isClosed(): boolean {
    return this.state === 'closed';
  }

  /** True when the connection serves no more requests. */
  get isOver(): boolean {
    return this.state === 'lingering' || this.state === 'closed';
  }

  /** Whether it waits for its client, for processor time, or for an external system. */
  get isWaiting(): boolean {
    return !this.isClosed && (this.isUnread || this.served?.isWaiting !== false);
  }

  /** Whether its client has not read everything written to it. */
  get isUnread(): boolean {
    return !this.isClosed && this.#traffic.writableLength > 0;
  }

  /** Whether a response is being sent in parts. */
  get isSending(): boolean {
    return !this.isClosed && this.served?.state === 'sending' && this.served.work !== undefined;
  }

  /** How long its client has neither sent nor read anything, in milliseconds. */
  quietMs(now: number): number {
    this.watch.poll(now);
    return now - this.watch.quietSince;
  }

  /** The memory of the connection, in bytes. Work may continue after the connection has closed. */
  get bytes(): number {
    if (this.isClosed) return this.served?.bytes ?? 0;
    let bytes = CONNECTION_BYTES + this.watch.headBytes + this.#traffic.writableLength;
    for (const exchange of this.#pending) {
      bytes += exchange.bytes + (exchange === this.served ? 0 : exchange.headBytes);
    }
    return bytes;
  }

  /** Whether a response is due to a request other than `except`. */
  owesResponses(except?: T): boolean {
    return this.#pending.some((exchange) => exchange !== except);
  }

  #endSide(): void {
    this.#advance('lingering');
    this.#actions.endSide();
  }

  #advance(state: State): void {
    if (STATES.indexOf(state) > STATES.indexOf(this.state)) this.state = state;
  }
}
