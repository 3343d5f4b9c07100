import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { clock } from '../../clock.ts';
import type { Capacity } from '../admission/ticket.ts';
import type { Problem } from '../messages/problem.ts';
import { hasContent, offersUpgrade, saysClose } from '../request/header-section.ts';
import { Exchange, type RequestConnection } from './exchange.ts';
import type { HttpSettings } from './http-settings.ts';
import { pauseAgain, receiveContent, skipStacksAtClose } from './node-http.ts';
import { ENDED, type ParserError, parserProblem, timeoutProblem } from './parser-error.ts';
import type { Reading } from './reading.ts';
import type { ReasonCounter } from './reason-counter.ts';

/** The prefix of an IPv4 address on a dual-stack socket (RFC 4291, section 2.5.5.2). */
const IPV4_MAPPED = /^::ffff:(?=\d+\.)/;

/** The maximum number of requests that wait behind a response. */
const MAX_WAITING = 64;

/** The requests after the last one that need no place: more than a segment has that are not tiny. */
const MAX_WITHOUT_PLACE = 24;

/** Why a connection is cut (operations.md: "Metrics"). */
export type CutReason = 'unread' | 'silent' | 'idle' | 'time';

/** The objects of a server that its connections share. */
export interface ConnectionContext extends Capacity {
  readonly settings: HttpSettings;
  readonly cuts: ReasonCounter;
  /** Whether the server stops. Then a response is the last one, unless other responses are due. */
  readonly isStopping: boolean;
  /** When the server began to close connections, by `clock.now()`. Infinity until then. */
  readonly stopsSince: number;
  readonly reading: Reading<Connection>;
  /** Serves a request that is due. Never rejected. */
  readonly serve: (exchange: Exchange) => Promise<void>;
}

/** See {@link Connection}. */
type State = 'open' | 'ending' | 'last' | 'lingering' | 'closed';

/**
 * A queue of requests, and the end of their connection. One request is served at a time, because
 * only safe methods may run in parallel (RFC 9112, section 9.3.2).
 *
 * | state | a request arrives | the last response that is due was sent |
 * |---|---|---|
 * | `open` | it is queued | stays open |
 * | `ending`: idle for too long, or the server stops | it is queued | lingers |
 * | `last`: the last request is known, such as one that says `Connection: close`, that offers an upgrade, that fills the queue, or that cannot be parsed | it is ignored | lingers |
 * | `lingering`: the server has ended its side, and drops bytes for a second | it is ignored | – |
 * | `closed` | – | – |
 *
 * A connection moves downwards in this table only, and from any state to `closed`.
 */
export class Connection implements RequestConnection {
  readonly socket: Socket;
  /** The client's IP address. Read early: the system drops it when the client disconnects. */
  readonly address: string | undefined;
  readonly #context: ConnectionContext;
  #state: State = 'open';
  /** The request that is served: its response has not been sent. */
  #served: Exchange | undefined;
  /** The requests behind it, in order. */
  readonly #waiting: Exchange[] = [];
  /** The latest request. Its content may arrive after its response. */
  #newest: Exchange | undefined;
  /** Cancels the turn of the next request, which refers to all that `node:http` has read. */
  #cancelTurn = () => {};
  /** The number of requests that were ignored, and their places. */
  #ignored = 0;
  #ignoredPlaces = 0;
  /** `socket.bytesRead` when it began to drop all bytes; undefined until then. */
  #dropsFrom: number | undefined;
  /** Whether nothing is read for the time being. */
  #hasStoppedReading = false;
  /** Whether nothing is read in this turn, because the parser has had much to do. */
  #isHeld: boolean;
  /** The bytes that were read, and those that the system has accepted, at the last poll. */
  #bytesRead = 0;
  #bytesAccepted = 0;
  #readAt = clock.now();
  #acceptedAt = clock.now();
  #activeAt = clock.now();
  #polledAt = clock.now();

  constructor(socket: Socket, context: ConnectionContext) {
    this.socket = socket;
    this.address = socket.remoteAddress?.replace(IPV4_MAPPED, '');
    this.#context = context;
    this.#isHeld = context.reading.accept();
    // `node:http` stops listening after the first error. A close follows in any case.
    socket.on('error', () => {});
    socket.once('close', () => this.#onClose());
    // `node:http` does not notice it within the content of a request that offers an upgrade.
    socket.once('end', () => this.#endWithinContent());
    // `node:http` resumes after each request, even in the segment in which the socket was paused.
    socket.on('resume', () => this.#isPaused && pauseAgain(socket));
    // `node:http` calls it after a last response that it has sent. It would reset the connection of
    // a client that sends on, and so could overtake the response.
    socket.destroySoon = () => this.#linger();
  }

  /** Whether requests that arrive are served. */
  get #acceptsRequests(): boolean {
    return this.#state === 'open' || this.#state === 'ending';
  }

  get isClosed(): boolean {
    return this.#state === 'closed';
  }

  /** Accepts a request whose header section has arrived. It waits for the responses before it. */
  accept(message: IncomingMessage, output: ServerResponse): void {
    if (!this.#acceptsRequests) {
      this.#ignore(message);
      return;
    }
    const exchange = new Exchange(message, output, this, this.#context);
    const { arrival } = exchange;
    // Also while its request waits: `node:http` limits what it keeps in bytes, not in pieces, each of
    // which takes memory of its own.
    if (arrival !== undefined) this.#collectContent(exchange);
    const mustWait = this.owesResponses;
    if (mustWait) this.#context.reading.record(this);
    const isFull = this.#waiting.length + 1 >= MAX_WAITING;
    const isWaiting = mustWait && this.#takePlaces(exchange);
    const hasNoPlace = mustWait && !isWaiting;
    if (isFull || hasNoPlace) {
      this.#acceptNoMore();
      this.stopReading();
    } else if (!output.shouldKeepAlive || saysClose(message) || offersUpgrade(message)) {
      this.#acceptNoMore();
    }
    this.#enqueue(exchange);
  }

  /** Takes the places of a request that waits. Without any, it is refused. @returns whether it did */
  #takePlaces(exchange: Exchange): boolean {
    try {
      exchange.ticket.takePlaces();
      return true;
    } catch (problem) {
      exchange.refuse(problem as Problem);
      return false;
    }
  }

  #acceptNoMore(): void {
    if (this.#acceptsRequests) this.#state = 'last';
  }

  /**
   * Event: there is a request after the last one that is served. `node:http` keeps it until the
   * responses before it are sent, so many of them take places.
   */
  #ignore(message: IncomingMessage): void {
    // `node:http` would keep its content in pieces, and its texts.
    message.resume();
    message.rawHeaders = [];
    // `node:http` destroys each at the end of the connection.
    message.destroy = () => message;
    message.url = '';
    this.#context.reading.record(this);
    if (this.#ignored === 0) skipStacksAtClose(this.socket);
    // A few requests are read and dropped, because a client that is not read goes unnoticed.
    if (++this.#ignored > MAX_WAITING || hasContent(message.headers)) this.stopReading();
    message.headers = {};
    if (this.#ignored <= MAX_WITHOUT_PLACE) return;
    if (this.#context.admission.takePlaces(1)) this.#ignoredPlaces++;
    else this.cut('unread');
  }

  /** Collects the content of a request as it comes, also before the request is due. */
  #collectContent(exchange: Exchange): void {
    const { message, arrival } = exchange;
    receiveContent(message, {
      add: (piece) => {
        if (Number(arrival?.bytes) > 0) this.#context.reading.record(this);
        arrival?.add(piece);
        const isWaiting = this.owesResponses && this.#served !== exchange;
        if (isWaiting && Number(arrival?.bytes) > Number(arrival?.allowedBytes)) this.stopReading();
      },
      end: () => {
        // Trailer fields could contradict the header section.
        if (message.rawTrailers.length > 0) this.#endAfter(exchange);
        arrival?.end();
      },
    });
  }

  /** Accepts a CONNECT, after which `node:http` reads nothing more. */
  acceptConnect(message: IncomingMessage): void {
    if (this.#acceptsRequests) {
      this.#acceptNoMore();
      this.#enqueue(this.#exchangeFor(message));
    }
    // Otherwise, a client that disconnects would go unnoticed.
    this.#dropAll();
  }

  /** For CONNECT, and for bytes that are not a request: they have no response of `node:http`. */
  #exchangeFor(message: IncomingMessage): Exchange {
    return new Exchange(message, new ServerResponse(message), this, this.#context);
  }

  /** Adds a request to the queue. The first one is served at once. */
  #enqueue(exchange: Exchange): void {
    this.#newest = exchange;
    if (this.#served !== undefined) this.#waiting.push(exchange);
    else {
      this.#served = exchange;
      void this.#context.serve(exchange);
    }
  }

  /** Serves nothing after a request. */
  #endAfter(exchange: Exchange): void {
    this.#acceptNoMore();
    // Of those that wait, the index of the next one.
    const index = [this.#served, ...this.#waiting].indexOf(exchange);
    if (index === -1) return;
    for (const dropped of this.#waiting.splice(index)) dropped.end();
  }

  get #isPaused(): boolean {
    return this.#hasStoppedReading || this.#isHeld;
  }

  stopReading(): void {
    this.#readUnless(true, this.#isHeld);
  }

  readOn(): void {
    this.#readUnless(false, this.#isHeld);
  }

  hold(): void {
    this.#readUnless(this.#hasStoppedReading, true);
  }

  release(): void {
    this.#readUnless(this.#hasStoppedReading, false);
  }

  /** Reads on if neither reason not to read is left. */
  #readUnless(hasStoppedReading: boolean, isHeld: boolean): void {
    const wasPaused = this.#isPaused;
    this.#hasStoppedReading = hasStoppedReading;
    this.#isHeld = isHeld;
    if (this.#isPaused === wasPaused) return;
    if (wasPaused) this.socket.resume();
    else this.socket.pause();
  }

  beginResponse(exchange: Exchange, close: boolean): boolean {
    const { refusal, arrival } = exchange;
    const mustClose = refusal?.close || (refusal !== undefined && arrival?.canBeSkipped === false);
    if (close || mustClose) this.#endAfter(exchange);
    const isNewest = this.#waiting.length === 0;
    if (isNewest && this.#context.isStopping) this.#acceptNoMore();
    return isNewest && !this.#acceptsRequests;
  }

  readonly endResponse = (): void => {
    this.#served?.end();
    const next = this.#waiting.shift();
    this.#served = next;
    // An idle connection must not keep its header section.
    if (this.#newest?.message.complete && next === undefined) this.#newest = undefined;
    // In a later task, because a segment may have dozens of requests, and others connect meanwhile.
    if (next !== undefined) {
      this.#cancelTurn = this.#context.scheduler.callSoon(() => this.#serveWhenRead(next));
    } else if (this.#state !== 'open') this.#linger();
  };

  /** Serves a request when the system has taken the responses before it. */
  #serveWhenRead(exchange: Exchange): void {
    if (!this.socket.writableNeedDrain) this.#serve(exchange);
    else this.socket.once('drain', () => this.#serve(exchange));
  }

  #serve(exchange: Exchange): void {
    if (this.isClosed) return;
    exchange.ticket.giveBackPlaces();
    if (this.#acceptsRequests || !exchange.message.complete) this.readOn();
    void this.#context.serve(exchange);
  }

  /**
   * Event: bytes could not be parsed, or a request took too long. The request that is arriving is
   * refused. Without one, the bytes get a response of their own, unless others are due.
   */
  fail(error: ParserError): void {
    if (error.code === 'ECONNRESET') this.disconnect();
    this.#dropsFrom ??= this.socket.bytesRead;
    this.#limitDropped();
    if (this.socket.writable && this.#state !== 'lingering') {
      this.#refuseArriving(parserProblem(error, this.#newest?.arrival?.progress));
    }
  }

  #endWithinContent(): void {
    const isArriving = this.#newest?.message.complete === false;
    if (isArriving && this.#dropsFrom === undefined) this.fail(ENDED);
  }

  #refuseArriving(problem: Problem): void {
    const newest = this.#newest;
    this.#acceptNoMore();
    if (newest?.message.complete === false) {
      if (newest.stage === 'arriving') newest.refuse(problem);
      else this.end();
    } else if (!this.owesResponses) {
      // A request in the place of these bytes, so that features see the refusal.
      const message = new IncomingMessage(this.socket);
      const exchange = this.#exchangeFor(message);
      exchange.refuse(problem);
      this.#enqueue(exchange);
    }
  }

  /**
   * Event: time has passed, and everything that had arrived has been read. Ends the connection of a
   * client that reads or sends nothing for too long. Cheaper than a timer for each request.
   */
  poll(now: number): void {
    const { bytesRead, bytesWritten, writableLength } = this.socket;
    const accepted = bytesWritten - writableLength;
    this.#polledAt = now;
    if (bytesRead !== this.#bytesRead) this.#readAt = now;
    if (accepted !== this.#bytesAccepted || writableLength === 0) this.#acceptedAt = now;
    const isActive = bytesRead !== this.#bytesRead || accepted !== this.#bytesAccepted;
    if (isActive || this.owesResponses) this.#activeAt = now;
    this.#bytesRead = bytesRead;
    this.#bytesAccepted = accepted;
    const { settings, stopsSince } = this.#context;
    const { sendTimeout, keepAliveTimeout, stopSilenceTimeout } = settings;
    if (now - this.#acceptedAt > sendTimeout) this.cut('time');
    // Before the first response, and while a request arrives, `node:http` has its own time limits.
    else if (bytesWritten > 0 && now - this.#activeAt > keepAliveTimeout) this.end();
    else if (
      this.stall === 'silent' &&
      now - Math.max(this.#readAt, stopsSince) > stopSilenceTimeout
    ) {
      this.#refuseArriving(timeoutProblem(this.served?.arrival?.progress));
    }
  }

  /**
   * How its client holds up others: it is silent without a request (`idle`), reads nothing of a response
   * (`unread`), or sends nothing of content that it has begun (`silent`). Undefined if it does not.
   */
  get stall(): Exclude<CutReason, 'time'> | undefined {
    const { served } = this;
    if (this.isClosed) return undefined;
    if (served === undefined) return this.socket.bytesRead === this.#bytesRead ? 'idle' : undefined;
    if (this.socket.writableLength > 0) return 'unread';
    const isArriving = served.stage === 'arriving' && !served.message.complete;
    return isArriving && !this.#isPaused ? 'silent' : undefined;
  }

  /** For how long, as of the last poll, in milliseconds. */
  get stalledFor(): number {
    const { stall } = this;
    if (stall === undefined) return 0;
    const since = { idle: this.#activeAt, unread: this.#acceptedAt, silent: this.#readAt };
    return this.#polledAt - since[stall];
  }

  /** Ends the stall, because others need what it holds: refuses the request, or cuts the connection. */
  endStall(): void {
    const { stall } = this;
    if (stall === undefined) return;
    if (stall !== 'silent') this.cut(stall);
    else {
      this.#context.cuts.add(stall);
      this.#refuseArriving(timeoutProblem(this.served?.arrival?.progress));
    }
  }

  /** When the request that is served arrived, or else the last activity, by `clock.now()`. */
  get activeSince(): number {
    return this.served?.receivedAt ?? this.#activeAt;
  }

  /** Whether its client has stalled, or its request has changed nothing, so that it may end. */
  get canEnd(): boolean {
    const { served } = this;
    if (served === undefined || served.stage === 'sending') {
      return this.stalledFor > this.#context.settings.stallTimeout;
    }
    return !served.ticket.hasWritten;
  }

  /** Ends what is under way, because others need its memory. */
  endUnderWay(problem: Problem): void {
    const { served } = this;
    if (served === undefined) this.cut('idle');
    else if (served.stage === 'sending') this.cut('unread');
    else served.cancel(problem);
  }

  /** Closes because others need what it holds, or it has taken too long. */
  cut(reason: CutReason): void {
    if (this.isClosed) return;
    this.#context.cuts.add(reason);
    this.disconnect();
  }

  /** Closes after the responses that are due, or now. */
  end(): void {
    if (this.owesResponses) {
      if (this.#state === 'open') this.#state = 'ending';
    } else if (this.socket.bytesWritten > 0) this.#linger();
    else this.disconnect();
  }

  /**
   * Ends its side after the last response, and drops bytes until the client ends its own. Closing at
   * once would send a reset, which could overtake the response.
   */
  #linger(): void {
    if (this.#state === 'lingering' || this.isClosed) return;
    const { socket } = this;
    this.#state = 'lingering';
    this.#dropAll();
    this.readOn();
    socket.end();
    const timer = clock.setTimeout(() => this.disconnect(), this.#context.settings.lingerTimeout);
    socket.once('close', () => clock.clear(timer));
  }

  /** Drops all bytes from now on, up to a limit. */
  #dropAll(): void {
    this.#dropsFrom ??= this.socket.bytesRead;
    this.socket.on('data', () => this.#limitDropped());
  }

  /** Stops reading when too many bytes were dropped. */
  #limitDropped(): void {
    if (this.#dropped > this.#context.settings.lingerBytes) this.stopReading();
  }

  /** Whether its client has sent bytes after the last response. */
  get isDropping(): boolean {
    return this.#state === 'lingering' && this.#dropped > 0;
  }

  /** The number of bytes that were dropped. */
  get #dropped(): number {
    return this.#dropsFrom === undefined ? 0 : this.socket.bytesRead - this.#dropsFrom;
  }

  disconnect(isReset = false): void {
    this.#state = 'closed';
    if (isReset) this.socket.resetAndDestroy();
    else this.socket.destroy();
  }

  #onClose(): void {
    this.#state = 'closed';
    for (const waiting of this.#waiting.splice(0)) waiting.end();
    this.#served?.end();
    this.#cancelTurn();
    this.#context.admission.giveBackPlaces(this.#ignoredPlaces);
    this.#ignoredPlaces = 0;
  }

  /** The request that is served. */
  get served(): Exchange | undefined {
    return this.#served;
  }

  /** Whether responses are due. */
  get owesResponses(): boolean {
    return this.#served !== undefined;
  }
}
