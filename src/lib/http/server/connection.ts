import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { clock } from '../../clock.ts';
import type { Problem } from '../messages/problem.ts';
import { MAX_CONTENT_BYTES, saysClose } from '../request/header-section.ts';
import type { Held } from '../routing/router.ts';
import { type Capacity, Exchange, REQUEST_BYTES } from './exchange.ts';
import { type HttpSettings, maxHeadBytes } from './http-settings.ts';
import { ENDED, type ParserError, parserProblem, timeoutProblem } from './parser-error.ts';
import { RequestBytes } from './request-bytes.ts';

/** The prefix of an IPv4 address on a dual-stack socket (RFC 4291, section 2.5.5.2). */
const IPV4_MAPPED = /^::ffff:(?=\d+\.)/;

/** The maximum number of requests that wait behind a response. */
const MAX_WAITING = 64;

/** The number of requests after the last one that is served that need no room. */
const MAX_IGNORED = 32;

/** The objects of a server that its connections share. */
export interface ConnectionContext extends Capacity {
  readonly settings: HttpSettings;
  /** Whether the server stops. Then a response is the last one, unless other responses are due. */
  readonly isStopping: boolean;
  /** When the server began to close connections, by `clock.now()`. Infinity until then. */
  readonly stopsSince: number;
  /** Serves a request whose turn has come. */
  readonly serve: (exchange: Exchange, connection: Connection) => void;
  /** Responds to a request that was refused while its content arrived. */
  readonly respond: (exchange: Exchange, connection: Connection) => void;
}

/**
 * A queue of requests, and the end of their connection. One request is served at a time, because
 * only safe methods may run in parallel (RFC 9112, section 9.3.2).
 *
 * A connection ends in this order: its last request is known (`#isLast`), its last response has been
 * sent (`#isLingering`), it is closed (`isClosed`).
 */
export class Connection {
  readonly socket: Socket;
  /** The client's IP address. Read early: the system drops it when the client disconnects. */
  readonly #address: string | undefined;
  readonly #context: ConnectionContext;
  /** Requests whose responses have not been sent, in order. The first one is served. */
  readonly #pending: Exchange[] = [];
  /** The latest request. Its content may arrive after its response. */
  #newest: Exchange | undefined;
  /** Whether the latest request is the last one that is served. */
  #isLast = false;
  /** Whether it closes when no response is due. */
  #isEnding = false;
  /** Whether it is closed. Faster than `socket.destroyed`. */
  isClosed = false;
  /** Whether the last response has been sent. */
  #isLingering = false;
  /** `socket.bytesRead` when it began to drop all bytes; undefined until then. */
  #dropsFrom: number | undefined;
  /** The number of requests after the last one that is served. */
  #ignored = 0;
  /** The bytes of the room for waiting requests that they take. */
  #ignoredBytes = 0;
  /** Whether nothing more is read. */
  #hasStoppedReading = false;
  readonly #requestBytes: RequestBytes;
  /** The bytes that were read, and those that the system has accepted, at the last poll. */
  #bytesRead = 0;
  #bytesAccepted = 0;
  #readAt = clock.now();
  #acceptedAt = clock.now();
  #activeAt = clock.now();
  #polledAt = clock.now();

  constructor(socket: Socket, context: ConnectionContext) {
    this.socket = socket;
    this.#address = socket.remoteAddress?.replace(IPV4_MAPPED, '');
    this.#context = context;
    const onError = (error: ParserError) => {
      // Otherwise, `node:http` has reported it.
      if (this.#dropsFrom === undefined) this.fail(error);
    };
    this.#requestBytes = new RequestBytes(socket, maxHeadBytes(context.settings), onError);
    // `node:http` stops listening after the first error. A close follows in any case.
    socket.on('error', () => {});
    socket.once('close', () => this.#onClose());
    // `node:http` does not notice it within the content of a request that offers an upgrade.
    socket.once('end', () => this.#endWithinContent());
    // `node:http` resumes after each request, even in the segment in which the socket was paused.
    socket.on('resume', () => this.#hasStoppedReading && socket.pause());
    // `node:http` calls it after a last response that it has sent. It would reset the connection of
    // a client that sends on, and so could overtake the response.
    socket.destroySoon = () => this.#linger();
  }

  /** Accepts a request whose header section has arrived. It waits for the responses before it. */
  accept(message: IncomingMessage, output: ServerResponse): void {
    if (this.#isLast) {
      // Its content is dropped, because `node:http` counts no pieces, and so are its texts, which
      // `node:http` would keep until the responses before it are sent.
      message.resume();
      message.rawHeaders = [];
      message.headers = {};
      message.url = '';
      this.#stopReading();
      this.#ignore();
      return;
    }
    const exchange = this.#createExchange(message, output);
    if (this.owesResponses) exchange.reserveWait();
    if (exchange.hasContent) exchange.reserveContent();
    this.#requestBytes.add(message, exchange.contentLength);
    if (exchange.hasContent) this.#receive(exchange);
    else this.#endIfNextMayBeForged(exchange);
    const isFull =
      this.#pending.length >= MAX_WAITING ||
      (this.owesResponses && exchange.shortage !== undefined);
    this.#isLast ||= isFull || !output.shouldKeepAlive || saysClose(message);
    if (isFull) this.#stopReading();
    this.#enqueue(exchange);
  }

  /** Event: there is a request after the last one that is served. `node:http` keeps it. */
  #ignore(): void {
    if (++this.#ignored <= MAX_IGNORED) return;
    if (this.#context.waiting.take(REQUEST_BYTES)) this.#ignoredBytes += REQUEST_BYTES;
    // After the last response, nothing more is read, and the connection closes soon.
    else if (!this.#isLingering) this.cut('unread');
  }

  /** Accepts a CONNECT, after which `node:http` reads nothing more. */
  acceptConnect(message: IncomingMessage): void {
    if (!this.#isLast) {
      this.#isLast = true;
      this.#enqueue(this.#createExchange(message));
    }
    // Otherwise, a client that disconnects would go unnoticed.
    this.#dropsFrom ??= this.socket.bytesRead;
    this.socket.on('data', () => this.#limitDropped());
  }

  /** @param output absent for bytes that are not a request, and for CONNECT */
  #createExchange(message: IncomingMessage, output = new ServerResponse(message)): Exchange {
    return new Exchange(message, output, this.#address, this.#context);
  }

  /** Adds a request to the queue. The first one is served at once. */
  #enqueue(exchange: Exchange): void {
    this.#newest = exchange;
    this.#pending.push(exchange);
    if (this.served === exchange) this.#context.serve(exchange, this);
  }

  /** Receives content, also while its request waits, because `node:http` counts no pieces. */
  #receive(exchange: Exchange): void {
    const { message } = exchange;
    message.on('data', (piece: Buffer) => {
      exchange.addPiece(piece);
      const isWaiting = this.served !== undefined && exchange !== this.served;
      if (isWaiting && exchange.arrivedBytes > MAX_CONTENT_BYTES) this.#stopReading();
      // Content may still arrive after the last response, such as 413.
      this.#limitDropped();
    });
    message.on('end', () => {
      this.#endIfNextMayBeForged(exchange);
      exchange.endContent();
    });
  }

  /**
   * Event: a request has arrived, or is refused. It is the last one if `node:http` may have dropped
   * bytes behind it, because what follows may be a request in disguise (decision 9).
   */
  #endIfNextMayBeForged(exchange: Exchange): void {
    if (exchange.isCheckedForSmuggling) return;
    exchange.isCheckedForSmuggling = true;
    const { message } = exchange;
    const offersUpgrade = message.headers.upgrade !== undefined;
    const isArriving = exchange.hasContent && !message.complete;
    const length = isArriving ? Number.NaN : exchange.contentLength;
    const mayHaveDropped = this.#requestBytes.end(length, offersUpgrade);
    // Trailer fields could contradict the header section.
    if (mayHaveDropped || message.rawTrailers.length > 0) this.#endAfter(exchange);
  }

  /** Serves nothing after a request. */
  #endAfter(exchange: Exchange): void {
    this.#isLast = true;
    const index = this.#pending.indexOf(exchange);
    if (index === -1) return;
    for (const dropped of this.#pending.splice(index + 1)) dropped.end();
  }

  /** Reads nothing more, until it is the turn of a request that needs it. */
  #stopReading(): void {
    this.#hasStoppedReading = true;
    this.socket.pause();
  }

  /** Reads on after {@link #stopReading}, until another request arrives. */
  #readOn(): void {
    if (!this.#hasStoppedReading) return;
    this.#hasStoppedReading = false;
    this.socket.resume();
  }

  /** Event: a response begins. @returns whether it is the last one (RFC 9112, section 9.6) */
  beginResponse(exchange: Exchange, close: boolean): boolean {
    exchange.isBegun = true;
    const { refusal, canBeSkipped } = exchange;
    if (refusal !== undefined && exchange.hasContent) this.#endIfNextMayBeForged(exchange);
    if (close || refusal?.close || (refusal !== undefined && !canBeSkipped)) {
      this.#endAfter(exchange);
    }
    const isNewest = this.#pending.length === 1;
    this.#isLast ||= isNewest && this.#context.isStopping;
    return isNewest && this.#isLast;
  }

  /** Event: the response has been sent, and `node:http` has released its request. */
  readonly endResponse = (): void => {
    this.#pending.shift()?.end();
    const [next] = this.#pending;
    // An idle connection must not keep its header section.
    if (this.#newest?.message.complete && next === undefined) this.#newest = undefined;
    // In a later task, because a segment may have dozens of requests, and others connect meanwhile.
    if (next !== undefined) this.#context.scheduler.callSoon(() => this.#serveWhenRead(next));
    else if (this.#isLast || this.#isEnding) this.#linger();
  };

  /** Serves a request when the system has taken the responses before it. */
  #serveWhenRead(exchange: Exchange): void {
    if (!this.socket.writableNeedDrain) this.#serve(exchange);
    else this.socket.once('drain', () => this.#serve(exchange));
  }

  #serve(exchange: Exchange): void {
    if (this.isClosed) return;
    if (!this.#isLast || !exchange.message.complete) this.#readOn();
    this.#context.serve(exchange, this);
  }

  /**
   * Event: bytes could not be parsed, or a request took too long. The request that is arriving is
   * refused. Without one, the bytes get a response of their own, unless others are due.
   */
  fail(error: ParserError): void {
    if (error.code === 'ECONNRESET') this.disconnect();
    this.#dropsFrom ??= this.socket.bytesRead;
    this.#limitDropped();
    if (this.socket.writable && !this.#isLingering) {
      this.#refuseArriving(parserProblem(error, this.#newest?.progress));
    }
  }

  #endWithinContent(): void {
    const isArriving = this.#newest?.message.complete === false;
    if (isArriving && this.#dropsFrom === undefined) this.fail(ENDED);
  }

  #refuseArriving(problem: Problem): void {
    const newest = this.#newest;
    const isArriving = newest?.message.complete === false;
    this.#isLast = true;
    if (isArriving && newest.isHandled) this.end();
    else if (isArriving) {
      newest.refuse(problem);
      if (newest.hasSite) this.#context.respond(newest, this);
    } else if (this.#pending.length === 0) {
      // A request in the place of these bytes, so that features see the refusal.
      const message = new IncomingMessage(this.socket);
      const exchange = this.#createExchange(message);
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
    if (isActive || this.#pending.length > 0) this.#activeAt = now;
    this.#bytesRead = bytesRead;
    this.#bytesAccepted = accepted;
    const { settings, stopsSince } = this.#context;
    const { sendTimeout, keepAliveTimeout, stopSilenceTimeout, stallTimeout } = settings;
    const [served] = this.#pending;
    const isArriving = served?.isHandled === false && !served.message.complete;
    if (now - this.#acceptedAt > sendTimeout) this.cut('time');
    // Before the first response, and while a request arrives, `node:http` has its own time limits.
    else if (bytesWritten > 0 && now - this.#activeAt > keepAliveTimeout) this.end();
    else if (isArriving && now - Math.max(this.#readAt, stopsSince) > stopSilenceTimeout) {
      this.#refuseArriving(timeoutProblem(served.progress));
    } else if (isArriving && served.blocksOthers && now - this.#readAt > stallTimeout) {
      this.#context.cuts.add('silent');
      this.#refuseArriving(timeoutProblem(served.progress));
    }
  }

  /** Ends the request that is served with a problem, if it has changed nothing and has no response. */
  cancelServed(problem: Problem): void {
    const { served } = this;
    if (served?.isHandled !== false) {
      served?.cancel(problem);
      return;
    }
    served.refuse(problem);
    this.#context.respond(served, this);
  }

  /** Closes because others need what it holds, or it has taken too long. */
  cut(reason: 'unread' | 'connections' | 'time'): void {
    if (this.isClosed) return;
    this.#context.cuts.add(reason);
    this.disconnect();
  }

  /** Closes after the responses that are due, or now. */
  end(): void {
    this.#isEnding = true;
    if (this.#pending.length > 0) return;
    if (this.socket.bytesWritten > 0) this.#linger();
    else this.disconnect();
  }

  /**
   * Ends its side after the last response, and drops bytes until the client ends its own. Closing at
   * once would send a reset, which could overtake the response.
   */
  #linger(): void {
    if (this.#isLingering) return;
    const { socket } = this;
    this.#isLingering = true;
    this.#dropsFrom ??= socket.bytesRead;
    this.#isLast = true;
    this.#readOn();
    socket.end();
    const timer = clock.setTimeout(() => this.disconnect(), this.#context.settings.lingerTimeout);
    socket.once('close', () => clock.clear(timer));
  }

  /** Event: bytes have arrived. Stops reading when too many were dropped. */
  #limitDropped(): void {
    if (this.#dropped > this.#context.settings.lingerBytes) this.#stopReading();
  }

  /** Whether its client has sent bytes after the last response. */
  get isDropping(): boolean {
    return this.#isLingering && this.#dropped > 0;
  }

  /** The number of bytes that were dropped. */
  get #dropped(): number {
    return this.#dropsFrom === undefined ? 0 : this.socket.bytesRead - this.#dropsFrom;
  }

  /** Closes at once. @param isReset whether with a TCP reset */
  disconnect(isReset = false): void {
    this.isClosed = true;
    if (isReset) this.socket.resetAndDestroy();
    else this.socket.destroy();
  }

  #onClose(): void {
    this.isClosed = true;
    for (const waiting of this.#pending.splice(1)) waiting.end();
    this.served?.end();
    if (this.#ignoredBytes > 0) this.#context.waiting.giveBack(this.#ignoredBytes);
    this.#ignoredBytes = 0;
  }

  /** The request that is served. */
  get served(): Exchange | undefined {
    return this.#pending[0];
  }

  /** Whether responses are due. */
  get owesResponses(): boolean {
    return this.#pending.length > 0;
  }

  /** The bytes that the system has not accepted. */
  get unreadBytes(): number {
    return this.isClosed ? 0 : this.socket.writableLength;
  }

  /** How long its client has read nothing of a response, in milliseconds, as of the last poll. */
  get unreadFor(): number {
    return this.unreadBytes > 0 ? this.#polledAt - this.#acceptedAt : 0;
  }

  /** Whether it has no request, and its client is silent. */
  get isSilent(): boolean {
    const isQuiet = this.#polledAt - this.#activeAt > this.#context.settings.stallTimeout;
    return isQuiet && !this.owesResponses && this.socket.bytesRead === this.#bytesRead;
  }

  get held(): Held | undefined {
    return this.isClosed ? undefined : this.served?.site.held;
  }
}
