import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Aborted } from './body.ts';

/** How long, and for how many bytes, a connection is still read after its last answer. */
const LINGER_MS = 1_000;
const LINGER_BYTES = 1024 * 1024;
const LINGER_CHECK_MS = 50;

/** One request and its answer on a connection. */
export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly #connection: Connection;
  #awaitsContinue: boolean;
  #accepted = false;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    connection: Connection,
    awaitsContinue: boolean,
  ) {
    this.request = request;
    this.response = response;
    this.#connection = connection;
    this.#awaitsContinue = awaitsContinue;
  }

  /** The client sends its body only after a 100 (RFC 9110, section 10.1.1), which it has not got yet. */
  get awaitsContinue(): boolean {
    return this.#awaitsContinue;
  }

  sendContinue(): void {
    this.#awaitsContinue = false;
    this.response.writeContinue();
  }

  /** The request has arrived whole, or is being worked on already: it will be answered. */
  get owed(): boolean {
    return this.#accepted || this.request.complete;
  }

  /**
   * Called before the operation runs: from here on the client gets the operation's answer.
   * @throws Aborted when this connection has already chosen its last answer, or is gone.
   */
  accept(): void {
    if (this.#connection.closed || this.response.destroyed) throw new Aborted();
    this.#accepted = true;
  }

  /**
   * Called when the answer's head is written.
   * @param close the answer asks for the end of the connection itself.
   * @returns whether this answer is the connection's last, and must say so (RFC 9112, section 9.6).
   */
  isLast(close: boolean): boolean {
    return this.#connection.isLastAnswer(this, close || this.#awaitsContinue);
  }
}

/**
 * One connection of a client, as far as ending it in good order needs to know it: `node:http` forgets about a
 * keep-alive connection once its server stops listening, and cannot tell a request that is owed an answer from half a one.
 */
export class Connection {
  readonly #socket: Socket;
  readonly #exchanges: Exchange[] = [];
  #ending = false;
  #closed = false;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.once('close', () => {
      this.#closed = true;
    });
  }

  /** The last answer has been chosen: nothing that comes after it is served. */
  get closed(): boolean {
    return this.#closed;
  }

  /** The request that is still arriving, if any. */
  get arriving(): Exchange | undefined {
    const last = this.#exchanges.at(-1);
    return last?.owed === false ? last : undefined;
  }

  get owesAnswers(): boolean {
    return this.#exchanges.some((exchange) => exchange.owed);
  }

  /** Notes a request whose header has arrived; undefined where the connection serves no more of them. */
  begin(
    request: IncomingMessage,
    response: ServerResponse,
    awaitsContinue: boolean,
  ): Exchange | undefined {
    if (this.#closed) return undefined;
    const exchange = new Exchange(request, response, this, awaitsContinue);
    this.#exchanges.push(exchange);
    response.once('close', () => this.#finish(exchange));
    return exchange;
  }

  /** Serves no new request; ends at once where no answer is owed, else after the last of them. */
  end(): void {
    this.#ending = true;
    if (!this.owesAnswers) this.destroy();
  }

  /** Serves no new request, but lets the answers that are owed and the error that ends it reach the client. */
  endAfterAnswers(): void {
    this.#ending = true;
  }

  destroy(): void {
    this.#closed = true;
    this.#socket.destroy();
  }

  /** Sends bytes that end the connection outside any exchange. */
  endWith(bytes: string): void {
    this.#closed = true;
    this.#socket.end(bytes);
    this.#linger();
  }

  isLastAnswer(exchange: Exchange, close: boolean): boolean {
    if (this.#closed) return true;
    const later = this.#exchanges.slice(this.#exchanges.indexOf(exchange) + 1);
    if (!close && (!this.#ending || later.some((next) => next.owed))) return false;
    this.#closed = true;
    if (!exchange.request.complete) this.#lingerInsteadOfDestroy();
    return true;
  }

  #finish(exchange: Exchange): void {
    this.#exchanges.splice(this.#exchanges.indexOf(exchange), 1);
    if (this.#ending && !this.#closed && !this.owesAnswers) {
      this.#closed = true;
      this.#socket.destroySoon();
    }
  }

  /**
   * Closing while the client still sends would reset the connection, and the reset can overtake the answer
   * (RFC 9112, section 9.6). `node:http` calls `destroySoon` after a last answer; this one reads on for a little.
   */
  #lingerInsteadOfDestroy(): void {
    this.#socket.destroySoon = () => {
      this.#socket.end();
      this.#linger();
    };
  }

  #linger(): void {
    const socket = this.#socket;
    const start = socket.bytesRead;
    const deadline = Date.now() + LINGER_MS;
    const timer = setInterval(() => {
      if (socket.bytesRead - start > LINGER_BYTES || Date.now() > deadline) socket.destroy();
    }, LINGER_CHECK_MS);
    socket.once('close', () => clearInterval(timer));
  }
}
