import type { Problem } from '../../core/problem.ts';
import type { HttpSettings } from '../settings.ts';
import { type Traffic, TrafficWatch } from './traffic.ts';
import type { Turn } from './turn.ts';

/**
 * - `open`: requests are served.
 * - `draining`: requests are served; the last response that is owed closes the connection.
 * - `ending`: only requests that have arrived are served.
 * - `lingering`: the last response has begun; whatever still arrives is ignored.
 * - `closed`.
 */
export type State = 'open' | 'draining' | 'ending' | 'lingering' | 'closed';

/** What moves a connection to its next state (README: "How a connection ends"). */
export type LifecycleEvent = 'stop' | 'end' | 'last' | 'close';

/** What follows each state. An event that is not listed changes nothing. */
export const TRANSITIONS: Readonly<
  Record<State, Readonly<Partial<Record<LifecycleEvent, State>>>>
> = {
  open: { stop: 'draining', end: 'ending', last: 'lingering', close: 'closed' },
  draining: { end: 'ending', last: 'lingering', close: 'closed' },
  ending: { last: 'lingering', close: 'closed' },
  lingering: { close: 'closed' },
  closed: {},
};

/** What the core of a connection has done for it: its actions. */
export interface Actions<T extends Turn> {
  /** Serves a request, or responds with what refuses it; again once it is refused. */
  serve(turn: T): void;
  /** Calls `begin`, in a later turn of the event loop unless this one has time. */
  beginInTurn(turn: T): void;
  /** Counts so many more bytes that are held for the client. */
  addBytes(bytes: number): void;
  /** Reads on, or if it `isFull` and not `isOver`, no further than the segment being parsed. */
  adjustReading(): void;
  /** Ends this side once everything is written, and calls `linger` until the other side ends. */
  endSide(): void;
  /** Closes at once. @param isReset whether with a TCP reset */
  disconnect(isReset: boolean): void;
}

/** The memory of a connection, in bytes: socket, parser and what belongs to them. */
export const CONNECTION_BYTES = 8 * 1024;

/** How much of the content of a request may wait for the response before it, in bytes. */
const MAX_BYTES_AHEAD = 64 * 1024;

/**
 * A connection without its socket: its methods are events, and actions are what comes of them. It
 * has requests served one after the other, because only safe ones could run at the same time (RFC
 * 9112, section 9.3.2), and knows which are owed a response.
 */
export class ConnectionCore<T extends Turn> {
  readonly #traffic: Traffic;
  readonly #settings: HttpSettings;
  readonly #actions: Actions<T>;
  readonly watch: TrafficWatch;
  state: State = 'open';
  /** Requests whose responses are not sent yet, in order; the first is being served. */
  readonly #turns: T[] = [];
  #served: T | undefined;
  #newest: T | undefined;
  #lingerMs: number;
  /** When the client must have ended its side, and after how many bytes. */
  #lingerEnd: { readonly ms: number; readonly bytesRead: number } | undefined;

  /** @param now the time in milliseconds, like that of every event that has one */
  constructor(traffic: Traffic, settings: HttpSettings, actions: Actions<T>, now: number) {
    this.#traffic = traffic;
    this.#settings = settings;
    this.#actions = actions;
    this.watch = new TrafficWatch(traffic, settings, now);
    this.#lingerMs = settings.lingerTimeout;
  }

  /** Event: a header section has arrived. @returns whether it, and what follows, is wanted */
  accept(): boolean {
    this.watch.takeHead();
    return !this.isOver && !this.hasFinal;
  }

  /** Event: there is one more request to respond to. */
  add(turn: T, memory: { readonly isExceeded: boolean }): void {
    this.#newest = turn;
    if (this.#turns.push(turn) === 1) {
      this.begin(turn);
      return;
    }
    this.#actions.addBytes(turn.headBytes);
    this.#actions.adjustReading();
    // These requests came in one segment, and the parser cannot leave the rest of it.
    if (this.#turns.length <= 2 || !memory.isExceeded) return;
    turn.isFinal = true;
    this.end();
  }

  /** Event: it is the turn of a request. */
  begin(turn: T): void {
    if (this.isOver) return;
    this.#served = turn;
    this.#actions.serve(turn);
  }

  /** Event: so many more bytes are kept of the content of a request, or less of it, or all. */
  contentChanged(addedBytes: number): void {
    if (addedBytes > 0) this.#actions.addBytes(addedBytes);
    if (this.#turns.length > 1) this.#actions.adjustReading();
  }

  /** Event: a response begins. @returns whether it is the last one (RFC 9112, section 9.6) */
  respond(turn: T, close: boolean): boolean {
    if (!close && (this.state === 'open' || this.owesResponses(turn))) return false;
    this.#advance('last');
    // Reads on even if much waits: otherwise nobody would notice that the client has gone.
    this.#actions.adjustReading();
    return true;
  }

  /** Event: the response that is being sent has been sent or has failed. */
  finish(): void {
    const finished = this.#turns.shift();
    finished?.finish();
    if (!this.isClosed) this.#served = undefined;
    const isDone = finished?.isComplete === true && !finished.isFinal;
    if (this.#newest === finished && isDone) this.#newest = undefined;
    if (this.isOver) return;
    const [next] = this.#turns;
    if (this.state === 'ending' && !this.owesResponses()) this.#endSide();
    if (next === undefined || this.isOver) return;
    this.#actions.adjustReading();
    // A packet may hold thousands of requests, which would otherwise all be served in one turn.
    this.#actions.beginInTurn(next);
  }

  /** Event: what `node:http` takes for the last response has been sent. */
  sentLast(): void {
    // A restarted parser may have found more requests, which `node:http` does not know of.
    if (!this.isClosed && (this.isOver || this.#turns.length <= 1)) this.#endSide();
  }

  /** Event: the server stops: the next response is the last, unless more of them are owed. */
  stop(): void {
    this.#advance('stop');
    this.#lingerMs = this.#settings.stopLingerTimeout;
  }

  /** Event: nothing more is to be read. Closes after the pending response, or now. */
  end(): void {
    if (this.isOver) return;
    this.#advance('end');
    if (this.owesResponses()) return;
    if (this.#traffic.bytesWritten > 0) this.#endSide();
    else this.disconnect();
  }

  /** Event: something that cannot wait ends it. @param isReset whether with a TCP reset */
  disconnect(isReset = false): void {
    this.#advance('close');
    this.#actions.disconnect(isReset);
  }

  /** Event: the socket has closed. */
  close(): void {
    this.#advance('close');
  }

  /**
   * Event: bytes that are not a request have arrived, or one took too long.
   * Refuses the request that they belong to, in its turn; not one that is refused already.
   * @returns whether they get a response of their own: not if they may belong to one being served
   */
  fail(problem: Problem): boolean {
    this.#advance('end');
    const newest = this.#newest;
    if (newest === undefined || newest.isComplete) return this.#turns.length === 0;
    if (newest.isHandled || !this.#turns.includes(newest)) this.end();
    else {
      newest.refusal = problem;
      if (this.#served === newest) this.#actions.serve(newest);
    }
    return false;
  }

  /**
   * Event: some time has passed, and what had arrived by then has been read. Ends the connection of
   * a client that reads or sends nothing for too long.
   * @param hasBegun whether the beginning of a header section has arrived
   */
  tick(now: number, hasBegun: boolean): void {
    const client = this.watch.look(now);
    // A request that arrives has a time of its own, and so has the first one (`headersTimeout`).
    const isIdle = !hasBegun && this.#turns.length === 0 && this.#traffic.bytesWritten > 0;
    if (client === 'stalled') this.disconnect();
    else if (client !== undefined && isIdle) this.end();
    else if (client === 'silent' && this.#served?.isRunningSteps) this.disconnect();
  }

  /** Event: this side has ended, and the other one has not yet (RFC 9112, section 9.6). */
  linger(now: number): void {
    const { bytesRead } = this.#traffic;
    const { lingerBytes } = this.#settings;
    this.#lingerEnd ??= { ms: now + this.#lingerMs, bytesRead: bytesRead + lingerBytes };
    if (now > this.#lingerEnd.ms || bytesRead > this.#lingerEnd.bytesRead) this.disconnect();
  }

  get isClosed(): boolean {
    return this.state === 'closed';
  }

  /** Whether nothing more is served. */
  get isOver(): boolean {
    return this.state === 'lingering' || this.state === 'closed';
  }

  /** Whether the last request to serve has arrived. */
  get hasFinal(): boolean {
    return this.#newest?.isFinal === true;
  }

  /** Whether a whole request, or content that is too long, waits for the one before it. */
  get isFull(): boolean {
    const next = this.#turns[1];
    if (next === undefined) return false;
    return this.#turns.length > 2 || next.isComplete || next.bytes > MAX_BYTES_AHEAD;
  }

  /**
   * Whether it waits for its client: to send a request, or to read a response. A client that sends
   * more than is read ahead does not wait for responses itself.
   */
  get isWaiting(): boolean {
    return !this.isClosed && (this.isUnread || !this.owesResponses() || this.isFull);
  }

  /** Whether its client has not read everything written to it. */
  get isUnread(): boolean {
    return !this.isClosed && this.#traffic.writableLength > 0;
  }

  /** Whether content is being sent to its client in steps. */
  get isSendingSteps(): boolean {
    return !this.isClosed && this.#served?.isSendingSteps === true;
  }

  /** Since when its client has neither sent nor read anything: `now`, if it just has. */
  quietSince(now: number): number {
    this.watch.look(now);
    return this.watch.quietSince;
  }

  /** The memory of all that belongs to it, in bytes; once it is closed, of work that goes on. */
  get bytes(): number {
    if (this.isClosed) return this.#served?.isWaiting ? this.#served.bytes : 0;
    let bytes = CONNECTION_BYTES + this.watch.headBytes + this.#traffic.writableLength;
    for (const turn of this.#turns)
      bytes += turn.bytes + (turn === this.#served ? 0 : turn.headBytes);
    return bytes;
  }

  /** Whether a request that has arrived, another one aside, waits for its response to be sent. */
  owesResponses(except?: T): boolean {
    return this.#turns.some((turn) => turn !== except && turn.hasArrived);
  }

  #endSide(): void {
    this.#advance('last');
    this.#actions.endSide();
  }

  #advance(event: LifecycleEvent): void {
    this.state = TRANSITIONS[this.state][event] ?? this.state;
  }
}
