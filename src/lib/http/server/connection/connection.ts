import { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { clock } from '../../../clock.ts';
import {
  CONNECTION_BYTES,
  type ConnectionActions,
  ConnectionCore,
} from '../machine/connection-core.ts';
import {
  endOutput,
  IncomingRequest,
  onDroppedBytes,
  stopParsing,
} from '../receive/node-internals.ts';
import { DROPPED_BYTES, type ParserError, parserProblem } from '../receive/parser-error.ts';
import { type ConnectionContext, Exchange, type ExchangeOwner } from './exchange.ts';

/** Connects a `ConnectionCore` to `node:http`: passes on events, and performs its actions. */
export class Connection implements ConnectionActions<Exchange>, ExchangeOwner {
  /** Read early, because the system drops the address when the client disconnects. */
  readonly address: string | undefined;
  readonly context: ConnectionContext;
  readonly core: ConnectionCore<Exchange>;
  readonly socket: Socket;
  /** Whether it discards bytes that the client has sent after the last response. */
  isDiscarding = false;
  /** Whether dropped bytes are noticed. Set by the first offer of an upgrade. */
  #isWatched = false;

  constructor(socket: Socket, context: ConnectionContext) {
    this.socket = socket;
    this.address = socket.remoteAddress;
    this.context = context;
    this.core = new ConnectionCore(socket, context, this, clock.now());
    context.clients.users.add(this.core);
    context.clients.add(CONNECTION_BYTES);
    // `node:http` stops listening after the first error. A close follows in any case.
    socket.on('error', () => {});
    socket.once('close', () => this.core.close());
  }

  /** Accepts a request whose header section has arrived. */
  acceptRequest(message: IncomingRequest, output: ServerResponse): void {
    if (!this.core.accept()) {
      stopParsing(this.socket, () => {});
      return;
    }
    // No other protocol is supported (RFC 9110, section 7.8).
    if (message.headers.upgrade !== undefined) {
      this.#isWatched ||= onDroppedBytes(this.socket, () => this.refuse(DROPPED_BYTES));
      if (!this.#isWatched) output.shouldKeepAlive = false;
    }
    this.core.add(new Exchange(message, output, this));
  }

  /** Accepts a CONNECT, after which `node:http` reads nothing more. */
  acceptConnect(message: IncomingRequest): void {
    const output = new ServerResponse(message);
    if (this.core.accept()) this.core.add(new Exchange(message, output, this));
    // Otherwise, a client that disconnects would go unnoticed.
    this.socket.resume();
  }

  /** Refuses bytes that `node:http` could not parse, or a request that took too long. */
  refuse(error: ParserError): void {
    const { core } = this;
    if (error.code === 'ECONNRESET') core.disconnect();
    if (core.isOver || !this.socket.writable) return;
    const isLate = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
    const problem = isLate ? core.timeoutProblem : parserProblem(error, core.progress);
    if (!core.fail(problem)) return;
    // Responds to bytes that are not a request in the same way as to a request.
    const message = new IncomingRequest(this.socket);
    const exchange = new Exchange(message, new ServerResponse(message), this);
    exchange.refusal = problem;
    // Otherwise, `node:http` would end its side if the client ends its own before the response.
    exchange.output.assignSocket(this.socket);
    core.add(exchange);
  }

  sendContinue(): void {
    this.socket.write('HTTP/1.1 100 Continue\r\n\r\n', 'latin1');
  }

  afterSegment(exchange: Exchange): void {
    // `node:http` runs ticks between pieces of content. After the last piece, a tick runs only when
    // the rest of the segment has been parsed.
    if (exchange.hasArrived) clock.nextTick(parsed, exchange);
    else clock.setImmediate(() => parsed(exchange));
  }

  serveSoon(exchange: Exchange): void {
    this.context.scheduler.runCallback(() => this.core.serve(exchange));
  }

  /** Called when the last byte of a response has been written, or cannot be. */
  readonly onSent = (error?: Error | null): void => {
    if (error || this.core.isClosed) return;
    const { output } = this.core.served ?? {};
    if (output !== undefined) endOutput(output);
    this.core.finish();
  };

  endSide(): void {
    const { socket } = this;
    const { lingerBytes, lingerTimeout, stopLingerTimeout } = this.context.settings;
    let bytesLeft = lingerBytes;
    stopParsing(socket, ({ length }) => {
      this.isDiscarding = true;
      bytesLeft -= length;
      // Not closed, because the reset would overtake the response.
      if (bytesLeft <= 0) socket.pause();
    });
    socket.resume();
    socket.end();
    const timer = clock.setTimeout(
      () => this.core.disconnect(),
      this.context.isStopping ? stopLingerTimeout : lingerTimeout,
    );
    socket.once('close', () => clock.clear(timer));
  }

  disconnect(isReset: boolean): void {
    if (isReset) this.socket.resetAndDestroy();
    else this.socket.destroy();
  }
}

function parsed(exchange: Exchange): void {
  exchange.connection.core.parsed(exchange);
}
