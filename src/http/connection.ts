import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Exchange } from './exchange.ts';
import type { HttpSettings } from './settings.ts';

const LINGER_CHECK_MS = 50;

/**
 * One connection of a client, as far as ending it in good order needs to know it: `node:http` forgets about a
 * keep-alive connection once its server stops listening, and cannot tell a request that is owed an answer from half a one.
 */
export class Connection {
  readonly #socket: Socket;
  readonly #settings: HttpSettings;
  /** Those whose answers have not left yet, in the order of their requests. */
  readonly #exchanges: Exchange[] = [];
  #last: Exchange | undefined;
  #ending = false;
  #closed = false;

  constructor(socket: Socket, settings: HttpSettings) {
    this.#socket = socket;
    this.#settings = settings;
    socket.once('close', () => {
      this.#closed = true;
    });
  }

  /** The last answer has been chosen: nothing that comes after it is served. */
  get closed(): boolean {
    return this.#closed;
  }

  /** The exchange whose request is still arriving, if any; it may have been answered already. */
  get arriving(): Exchange | undefined {
    return this.#last?.arrived === false ? this.#last : undefined;
  }

  get owesAnswers(): boolean {
    return this.#exchanges.some((exchange) => exchange.arrived);
  }

  /** Notes a request whose header has arrived; undefined where the connection serves no more of them. */
  begin(
    request: IncomingMessage,
    response: ServerResponse,
    awaitsContinue: boolean,
  ): Exchange | undefined {
    if (this.#closed) return undefined;
    const exchange = new Exchange(request, response, this, awaitsContinue);
    this.#last = exchange;
    this.#exchanges.push(exchange);
    response.on('close', () => this.#finish(exchange));
    return exchange;
  }

  /** Serves no new request, but lets the answers that are owed and the error that ends it reach the client. */
  endAfterAnswers(): void {
    this.#ending = true;
  }

  /** Serves no new request; ends at once where no answer is owed, else after the last of them. */
  end(): void {
    this.#ending = true;
    if (!this.owesAnswers) this.destroy();
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
    if (!close && !this.#ending && !this.#closed) return false;
    const later = this.#exchanges.slice(this.#exchanges.indexOf(exchange) + 1);
    if (!close && !this.#closed && later.some((next) => next.arrived)) return false;
    this.#closed = true;
    if (!exchange.arrived) this.#lingerInsteadOfDestroy();
    return true;
  }

  #finish(exchange: Exchange): void {
    this.#exchanges.splice(this.#exchanges.indexOf(exchange), 1);
    if (this.#last === exchange && exchange.arrived) this.#last = undefined;
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
    const { lingerTimeout, lingerBytes } = this.#settings;
    const start = socket.bytesRead;
    const deadline = Date.now() + lingerTimeout;
    const timer = setInterval(() => {
      if (socket.bytesRead - start > lingerBytes || Date.now() > deadline) socket.destroy();
    }, LINGER_CHECK_MS);
    socket.once('close', () => clearInterval(timer));
  }
}
