import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { sendProblem } from './answer.ts';
import type { ByteString } from './byte-string.ts';
import { Exchange } from './exchange.ts';
import { overloaded } from './overload.ts';
import type { HttpSettings } from './settings.ts';

const LINGER_CHECK_MS = 50;

/**
 * So many requests of a connection may wait, which is more than one read of its socket can bring. What comes on top
 * is refused, and those answers make `node:http` read no more from a client that does not take them.
 */
const MAX_WAITING = 4_096;

/**
 * One connection of a client. Its requests are served one after the other, because only safe ones could be served
 * at the same time (RFC 9112, section 9.3.2); and it is ended in good order, for which `node:http` knows too little:
 * it forgets about keep-alive connections once its server stops listening, and cannot tell a request that is owed an
 * answer from half a one.
 */
export class Connection {
  readonly #socket: Socket;
  readonly #settings: HttpSettings;
  readonly #serve: (exchange: Exchange) => void;
  /** Those whose answers have not left yet, in the order of their requests; the first is being served. */
  readonly #exchanges: Exchange[] = [];
  #last: Exchange | undefined;
  #ending = false;
  #closed = false;
  /** How many bytes had left for the client when it was looked at, and since when it was that many. */
  #taken = 0;
  #takenAt = 0;

  constructor(socket: Socket, settings: HttpSettings, serve: (exchange: Exchange) => void) {
    this.#socket = socket;
    this.#settings = settings;
    this.#serve = serve;
    // What node:http calls after an answer that it takes for the last one.
    socket.destroySoon = () => this.#endAfterLastAnswer();
    socket.once('close', () => {
      this.#closed = true;
    });
  }

  /** The last answer has been chosen: nothing that comes after it is served. */
  get closed(): boolean {
    return this.#closed;
  }

  /** The exchange that is being served, if any. */
  get current(): Exchange | undefined {
    return this.#exchanges[0];
  }

  /** The exchange whose request is still arriving, if any; it may have been answered already. */
  get arriving(): Exchange | undefined {
    return this.#last?.arrived === false ? this.#last : undefined;
  }

  /** Takes a request whose header has arrived, and serves it as soon as those before it are answered. */
  begin(request: IncomingMessage, response: ServerResponse, awaitsContinue: boolean): void {
    if (this.#closed) return;
    const exchange = new Exchange(request, response, this, awaitsContinue);
    if (this.#exchanges.length === MAX_WAITING) {
      sendProblem(exchange, overloaded('Too many requests wait on this connection'));
      return;
    }
    this.#last = exchange;
    response.on('close', this.#finish);
    if (this.#exchanges.push(exchange) === 1) this.#serve(exchange);
  }

  /** Serves no new request, but lets the answers that are owed and the error that ends it reach the client. */
  endAfterAnswers(): void {
    this.#ending = true;
  }

  /** Serves no new request; ends at once where no answer is owed, else after the last of them. */
  end(): void {
    this.#ending = true;
    if (this.#owesAnswers) return;
    if (this.#socket.bytesWritten === 0) this.destroy();
    else this.#endAfterLastAnswer();
  }

  destroy(): void {
    this.#closed = true;
    this.#socket.destroy();
  }

  /**
   * Called now and then: cuts a client that has taken nothing for too long. That spares a timer for each answer,
   * nearly all of which leave at once.
   */
  cutUnlessTaking(): void {
    const { writableLength, bytesWritten } = this.#socket;
    const taken = bytesWritten - writableLength;
    if (writableLength === 0 || taken !== this.#taken) {
      this.#taken = taken;
      this.#takenAt = Date.now();
    } else if (Date.now() - this.#takenAt > this.#settings.sendTimeout) this.destroy();
  }

  /** Sends bytes that end the connection outside any exchange. */
  endWith(bytes: ByteString): void {
    this.#closed = true;
    this.#socket.end(bytes, 'latin1');
    this.#linger();
  }

  isLastAnswer(exchange: Exchange, close: boolean): boolean {
    if (!close) {
      if (!this.#ending) return false;
      if (this.#exchanges.some((other) => other !== exchange && other.arrived)) return false;
    }
    this.#closed = true;
    return true;
  }

  readonly #finish = (): void => {
    const finished = this.#exchanges.shift();
    if (this.#last === finished && finished?.arrived) this.#last = undefined;
    if (this.#closed) return;
    if (this.#ending && !this.#owesAnswers) {
      this.#endAfterLastAnswer();
    } else if (this.current !== undefined) this.#serve(this.current);
  };

  get #owesAnswers(): boolean {
    return this.#exchanges.some((exchange) => exchange.arrived);
  }

  /**
   * Ends this side and waits a little for the client to end its own (RFC 9112, section 9.6). Closing while the client still
   * sends would reset the connection, and the reset can overtake the answer. And where a container's network ends with
   * this process, all is lost that the client has not received by then, though it was written long before.
   */
  #endAfterLastAnswer(): void {
    this.#closed = true;
    this.#socket.end();
    this.#linger();
  }

  #linger(): void {
    const socket = this.#socket;
    const { lingerTimeout, stopLingerTimeout, lingerBytes } = this.#settings;
    const start = socket.bytesRead;
    const deadline = Date.now() + (this.#ending ? stopLingerTimeout : lingerTimeout);
    const timer = setInterval(() => {
      if (socket.bytesRead - start > lingerBytes || Date.now() > deadline) socket.destroy();
    }, LINGER_CHECK_MS);
    socket.once('close', () => clearInterval(timer));
  }
}
