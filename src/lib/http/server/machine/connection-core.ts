import type { Problem } from '../../core/problem.ts';
import type { HttpSettings } from '../settings.ts';
import {
  type ContentOwner,
  lateRequest,
  MAX_AHEAD_BYTES,
  type PendingExchange,
} from './pending-exchange.ts';
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

/** The actions of a core, performed by the owner of the socket. */
export interface ConnectionActions<T extends PendingExchange> {
  /** Whether the server stops. Then a response is the last one, unless other responses are due. */
  readonly isStopping: boolean;
  /** When the server began to close connections, on the clock of `tick`. Infinity until then. */
  readonly stopsSince: number;
  /** Serves a request, or responds with its refusal. Called again if it is refused later. */
  serve(exchange: T): void;
  /** Calls `begin`, in a later turn of the event loop unless this one has time. */
  beginSoon(exchange: T): void;
  /** Reports that the connection holds more memory. */
  addBytes(bytes: number): void;
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
export class ConnectionCore<T extends PendingExchange> implements ContentOwner {
  readonly #traffic: Traffic;
  readonly #actions: ConnectionActions<T>;
  readonly #silenceTimeout: number;
  readonly watch: TrafficWatch;
  state: State = 'open';
  /** Requests whose responses have not been sent, in order; the first is being served. */
  readonly #pending: T[] = [];
  #served: T | undefined;
  #newest: T | undefined;

  /** @param now the time in milliseconds, from the same clock as the `now` of events */
  constructor(
    traffic: Traffic,
    settings: HttpSettings,
    actions: ConnectionActions<T>,
    now: number,
  ) {
    this.#traffic = traffic;
    this.#actions = actions;
    this.#silenceTimeout = settings.stopSilenceTimeout;
    this.watch = new TrafficWatch(traffic, settings, now);
  }

  /** Event: a header section has arrived. @returns whether its request is to be served */
  accept(): boolean {
    this.watch.recordHead();
    return !this.isOver && this.#newest?.isFinal !== true;
  }

  /** Event: there is one more request to respond to. */
  add(exchange: T): void {
    this.#newest = exchange;
    if (this.#pending.push(exchange) === 1) this.begin(exchange);
    else {
      this.#actions.addBytes(exchange.headBytes);
      this.#limitAhead();
    }
  }

  /** Event: it is time to serve a request. */
  begin(exchange: T): void {
    if (this.isOver) return;
    this.#served = exchange;
    this.#actions.serve(exchange);
  }

  addContent(pieceBytes: number, keptBytes: number): void {
    this.watch.recordContent(pieceBytes);
    if (keptBytes > 0) this.#actions.addBytes(keptBytes);
    if (this.#pending.length > 1) this.#limitAhead();
  }

  /** Makes the newest request the last one if too many requests or bytes wait. */
  #limitAhead(): void {
    let bytes = 0;
    for (let i = 1; i < this.#pending.length; i++) bytes += this.#pending[i]?.arrivedBytes ?? 0;
    const isTooMuch = this.#pending.length > MAX_AHEAD || bytes > MAX_AHEAD_BYTES;
    if (isTooMuch && this.#newest !== undefined) this.#newest.isFinal = true;
  }

  /** Event: a response begins. @returns whether it is the last one (RFC 9112, section 9.6) */
  beginResponse(exchange: T, close: boolean): boolean {
    const persists = this.state === 'open' && !this.#actions.isStopping;
    if (!close && (persists || this.owesResponses(exchange))) return false;
    this.#advance('lingering');
    return true;
  }

  /** Event: the response that is being sent has been sent or has failed. */
  finish(): void {
    const finished = this.#pending.shift();
    finished?.finish();
    if (!this.isClosed) this.#served = undefined;
    if (this.#newest === finished && finished?.isComplete) this.#newest = undefined;
    if (this.isOver) return;
    const [next] = this.#pending;
    if (this.state === 'ending' && !this.owesResponses()) this.#endSide();
    // Not at once, because a packet may hold dozens of requests, and one turn would serve all.
    else if (next !== undefined) this.#actions.beginSoon(next);
  }

  /** Event: the last response has been sent. */
  sentLast(): void {
    if (!this.isClosed) this.#endSide();
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
  }

  /**
   * Event: invalid bytes have arrived, bytes were dropped, or a request took too long. Refuses the
   * request that is still arriving, if there is one, when its turn comes.
   * @returns whether to send a separate response: true if no request is pending
   */
  fail(problem: Problem): boolean {
    this.#advance('ending');
    const newest = this.#newest;
    // A client would take a response to a later request for that of a request that was not read.
    if (newest !== undefined) newest.isFinal = true;
    if (newest === undefined || newest.isComplete) return this.#pending.length === 0;
    if (newest.isHandled || !this.#pending.includes(newest)) this.end();
    else {
      newest.refusal = problem;
      if (this.#served === newest) this.#actions.serve(newest);
    }
    return false;
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
    const silentSince = Math.max(this.watch.readSince, this.#actions.stopsSince);
    const isSilent = now - silentSince > this.#silenceTimeout;
    const { isComplete = true, refusal } = this.#newest ?? {};
    if (isSilent && !(this.isOver || isComplete || refusal)) this.fail(lateRequest(this.progress));
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

  /** Whether it waits for its client, the queue of long work, or an external system. */
  get isWaiting(): boolean {
    if (this.isClosed) return false;
    const { isHandled, isWaiting, work } = this.#served ?? {};
    return this.isUnread || !isHandled || isWaiting === true || work !== undefined;
  }

  /** Whether its client has not read everything written to it. */
  get isUnread(): boolean {
    return !this.isClosed && this.#traffic.writableLength > 0;
  }

  /** Whether a response is being sent in parts. */
  get isSending(): boolean {
    const { work, contentBytes = 0 } = this.#served ?? {};
    return !this.isClosed && work !== undefined && contentBytes > 0;
  }

  /** How long its client has neither sent nor read anything, in milliseconds. */
  quietMs(now: number): number {
    this.watch.poll(now);
    return now - this.watch.quietSince;
  }

  /** The memory of the connection, in bytes. Work may continue after the connection has closed. */
  get bytes(): number {
    if (this.isClosed) return this.#served?.isWaiting ? this.#served.bytes : 0;
    let bytes = CONNECTION_BYTES + this.watch.headBytes + this.#traffic.writableLength;
    for (const exchange of this.#pending) {
      bytes += exchange.bytes + (exchange === this.#served ? 0 : exchange.headBytes);
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
