import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { clock } from '../../../clock.ts';
import type { Problem } from '../../core/problem.ts';
import { hasContent } from '../../request/header-section.ts';
import { IncomingContent, NO_CONTENT } from '../receive/incoming-content.ts';
import {
  type IncomingRequest,
  onLastResponse,
  unparsedRequest,
} from '../receive/node-internals.ts';
import { type ParserError, parserProblem, unknownMethodHead } from '../receive/parser-error.ts';
import { memoryOf, ReadAhead } from '../receive/read-ahead.ts';
import { SocketParser } from '../receive/socket-parser.ts';
import { type HttpSettings, maxHeadBytes } from '../settings.ts';
import type { MemoryUser } from './client-memory.ts';
import { ClientWatch } from './client-watch.ts';
import { Exchange, type ExchangeConnection } from './exchange.ts';
import { Lifecycle } from './lifecycle.ts';
import type { Scheduler } from './scheduler.ts';

/** The memory of a connection, in bytes: socket, parser and what belongs to them. */
const CONNECTION_BYTES = 8 * 1024;

/** How much of the content of a request may wait for the response before it, in bytes. */
const MAX_BYTES_AHEAD = 64 * 1024;

/**
 * Serves requests one after the other, because only safe ones could run at the same time (RFC 9112,
 * section 9.3.2). Closes gracefully: `node:http` does not know which are owed a response.
 */
export class Connection implements MemoryUser, ExchangeConnection {
  /** Read at once: the system no longer knows the address of a client that has gone. */
  readonly address: string | undefined;
  readonly scheduler: Scheduler;
  readonly #socket: Socket;
  readonly #serve: (exchange: Exchange) => void;
  readonly #watch: ClientWatch;
  readonly #parser: SocketParser;
  readonly #readAhead: ReadAhead;
  /** Exchanges whose responses are not sent yet, in order; the first is being served. */
  readonly #exchanges: Exchange[] = [];
  #served: Exchange | undefined;
  #last: Exchange | undefined;
  readonly #lifecycle = new Lifecycle();
  #isStopping = false;
  #reportedBytes = 0;
  #waitingBytes = 0;

  constructor(
    socket: Socket,
    settings: HttpSettings,
    scheduler: Scheduler,
    serve: (exchange: Exchange) => void,
  ) {
    this.#socket = socket;
    this.address = socket.remoteAddress;
    this.scheduler = scheduler;
    this.#serve = serve;
    this.#watch = new ClientWatch(socket, settings);
    this.#parser = new SocketParser(socket, maxHeadBytes(settings));
    this.#readAhead = new ReadAhead(socket, this.#parser, this);
    this.reportMemory();
    onLastResponse(socket, () => {
      // Of a request with an unknown method, which may follow, `node:http` knows nothing.
      if (this.isOver || this.#exchanges.length <= 1) this.#endAfterLastResponse();
    });
    // `node:http` stops listening after the first error. A close follows in any case.
    socket.on('error', () => {});
    socket.once('close', () => {
      this.#lifecycle.advance('close');
      this.reportMemory();
    });
  }

  get isClosed(): boolean {
    return this.#lifecycle.state === 'closed';
  }

  get isOver(): boolean {
    return this.#lifecycle.isOver;
  }

  /** A client that sends more than is read ahead does not wait for responses itself. */
  get isWaiting(): boolean {
    return !this.isClosed && (this.isUnread || !this.#owesResponses || this.isFull);
  }

  hasProgressed(): boolean {
    return this.#watch.look() === 'progress';
  }

  get isFull(): boolean {
    const next = this.#exchanges[1];
    if (next === undefined || this.#exchanges.length > 2) return next !== undefined;
    return next.message.complete || next.bytes > MAX_BYTES_AHEAD;
  }

  /** The memory of all that belongs to it, in bytes; once it is closed, of work that goes on. */
  get bytes(): number {
    if (this.isClosed) return this.#served?.isWaiting ? this.#served.bytes : 0;
    const { writableLength } = this.#socket;
    const ofRequests = (this.#served?.bytes ?? 0) + this.#waitingBytes;
    return CONNECTION_BYTES + this.#readAhead.bytes + writableLength + ofRequests;
  }

  reportWaiting(): void {
    // Thousands may come in one segment: to look at all for each of them would take seconds.
    if (this.#exchanges.length <= 2 || this.#exchanges.length % 32 === 0) this.#countWaiting();
  }

  #countWaiting(): void {
    this.#waitingBytes = 0;
    for (const exchange of this.#exchanges) {
      if (exchange === this.#served) continue;
      this.#waitingBytes += exchange.bytes + memoryOf(exchange.message);
    }
    this.reportMemory();
  }

  get isUnread(): boolean {
    return !this.isClosed && this.#socket.writableLength > 0;
  }

  get isSendingSteps(): boolean {
    if (this.isClosed || this.#served === undefined) return false;
    return this.#served.isRunningSteps && this.#served.output.headersSent;
  }

  /** Accepts a request whose header section has arrived, and serves it in turn. */
  acceptRequest(message: IncomingRequest, output: ServerResponse): void {
    const { upgrade } = message.headers;
    // No other protocol is supported (RFC 9110, section 7.8).
    const isCut = upgrade !== undefined && !this.#parser.parseBehind(message);
    if (isCut) output.shouldKeepAlive = false;
    if (!this.#readAhead.accept(message, !output.shouldKeepAlive)) {
      message.resume();
      return;
    }
    const incoming = hasContent(message.headers)
      ? new IncomingContent(message, this.#readAhead)
      : undefined;
    this.#last = new Exchange(message, output, this, incoming);
    this.#enqueue(this.#last);
  }

  /** The server stops: the next response closes the connection, unless more of them are owed. */
  drain(): void {
    this.#lifecycle.advance('stop');
    this.#isStopping = true;
  }

  /** Closes it after the pending response, or now. */
  end(): void {
    if (this.isOver) return;
    this.#lifecycle.advance('end');
    if (this.#owesResponses) return;
    if (this.#socket.bytesWritten > 0) this.#endAfterLastResponse();
    else this.disconnect();
  }

  disconnect(isReset = false): void {
    this.#lifecycle.advance('close');
    if (isReset) this.#socket.resetAndDestroy();
    else this.#socket.destroy();
  }

  /**
   * Closes the connection because of bytes that are not a request, or took too long. The error is
   * the response to the request they belong to, or to one of their own; unless that request has a
   * response already, or the bytes may be the rest of a request being served.
   */
  refuse(error: ParserError): void {
    if (error.code === 'ECONNRESET') this.disconnect();
    if (this.isOver || !this.#socket.writable) return;
    if (error.code === 'HPE_CLOSED_CONNECTION' && !this.#readAhead.hasEnded) {
      // Nothing but a trailer field has said that it closes.
      const { rawPacket = NO_CONTENT, bytesParsed = 1 } = error;
      if (this.#parser.restart(rawPacket.subarray(bytesParsed - 1))) return;
    }
    this.#lifecycle.advance('end');
    error.isWhole = this.#parser.hasBegunInSegment && !this.#readAhead.hasContentInSegment;
    const head = unknownMethodHead(error);
    const arriving = this.#last?.message.complete === false ? this.#last : undefined;
    if (arriving === undefined) {
      if (head === undefined && this.#exchanges.length > 0) return;
      const { message, output } = unparsedRequest(this.#socket, head);
      const exchange = new Exchange(message, output, this);
      // The router has the better error for an unknown method.
      if (head === undefined) exchange.refusal = parserProblem(error);
      this.#enqueue(exchange);
    } else if (!this.#exchanges.includes(arriving) || arriving.output.headersSent) {
      this.end();
    } else {
      arriving.refusal = parserProblem(error);
      if (this.#served === arriving) this.#serve(arriving);
    }
  }

  /**
   * Responds with a problem to requests that are not handled yet: that whose content is arriving
   * at once, others in their turn.
   */
  refuseUnhandled(problem: Problem, isSpared: (path: string) => boolean): void {
    if (this.isOver) return;
    for (const exchange of this.#exchanges) {
      if (exchange.isHandled || isSpared(exchange.path)) continue;
      const isArriving = exchange === this.#served && !exchange.hasArrived;
      exchange.refusal ??= problem;
      if (isArriving) this.#serve(exchange);
    }
  }

  reportMemory(): void {
    // What it takes is freed when the socket has closed, which is a little later.
    if (this.isClosed && !this.#socket.closed) return;
    if (this.bytes !== this.#reportedBytes) this.#recordProgress();
  }

  #recordProgress(): void {
    const { bytes } = this;
    this.#reportedBytes = bytes;
    if (bytes > 0) this.scheduler.memory.progress(this, bytes);
    else this.scheduler.memory.remove(this);
  }

  /** Called regularly: disconnects a client that reads or sends nothing for too long. */
  check(): void {
    this.#readAhead.countRead();
    if (this.#exchanges.length > 1) this.#countWaiting();
    const state = this.#watch.look();
    // The first request has a time of its own (`headersTimeout`).
    const isBetweenRequests = this.#exchanges.length === 0 && this.#socket.bytesWritten > 0;
    if (state === 'progress') this.#recordProgress();
    else if (state === 'stalled') this.disconnect();
    else if (state !== 'waiting' && isBetweenRequests) {
      const { bytesRead } = this.#socket; // A request may have arrived that is yet to be read.
      clock.setImmediate(() => bytesRead === this.#socket.bytesRead && this.end());
    } else if (state === 'silent' && this.#served?.isRunningSteps) this.disconnect();
  }

  isLastResponse(exchange: Exchange, close: boolean): boolean {
    if (!close) {
      if (this.#lifecycle.state === 'open') return false;
      if (this.#exchanges.some((other) => other !== exchange && other.hasArrived)) return false;
    }
    this.#lifecycle.advance('last');
    // If too much waits to read on, nobody would notice that the client has gone.
    this.#socket.resume();
    return true;
  }

  #enqueue(exchange: Exchange): void {
    exchange.output.on('close', this.#finish);
    if (this.#exchanges.push(exchange) === 1) this.#start(exchange);
    else {
      this.reportWaiting();
      this.#readAhead.adjustReading();
      // They came in one segment, of which the parser cannot leave the rest.
      const isTooMuch = this.#exchanges.length > 2 && this.scheduler.memory.isShort;
      if (!isTooMuch) return;
      this.#readAhead.hasEnded = true;
      this.end();
    }
  }

  readonly #finish = (): void => {
    const finished = this.#exchanges.shift();
    finished?.finish();
    if (!this.isClosed) this.#served = undefined;
    if (this.#reportedBytes !== CONNECTION_BYTES) this.reportWaiting();
    if (this.#last === finished && finished?.message.complete) this.#last = undefined;
    if (this.isOver) return;
    const [next] = this.#exchanges;
    if (this.#lifecycle.state === 'ending' && !this.#owesResponses) this.#endAfterLastResponse();
    if (next === undefined || this.isOver) return;
    this.#readAhead.adjustReading();
    // A packet may hold thousands of requests, which would otherwise all be served in one turn.
    this.scheduler.inTurn(() => {
      if (!next.isGone) this.#start(next);
    });
  };

  #start(exchange: Exchange): void {
    this.#served = exchange;
    if (this.#reportedBytes !== CONNECTION_BYTES) this.reportWaiting();
    if (exchange.output.socket === null) exchange.output.assignSocket(this.#socket);
    this.#serve(exchange);
  }

  get #owesResponses(): boolean {
    return this.#exchanges.some((exchange) => exchange.hasArrived);
  }

  #endAfterLastResponse(): void {
    if (this.isClosed) return;
    this.#lifecycle.advance('last');
    this.#watch.end(this.#isStopping);
  }
}
