import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Connection } from './connection.ts';

/** One request and its answer on a connection. */
export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly #connection: Connection;
  /** The client sends its body only after a 100 (RFC 9110, section 10.1.1), which it has not got yet. */
  #awaitsContinue: boolean;

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

  /** Whether a body follows the header (RFC 9112, section 6.3). */
  get hasBody(): boolean {
    const { 'transfer-encoding': coding, 'content-length': length } = this.request.headers;
    return coding !== undefined || (length !== undefined && Number(length) !== 0);
  }

  /** The request has arrived whole: its operation runs, and it is owed an answer. */
  get arrived(): boolean {
    return this.request.complete || !this.hasBody;
  }

  /** Asks for the body, where the client waits to be asked. */
  sendContinue(): void {
    if (!this.#awaitsContinue) return;
    this.#awaitsContinue = false;
    this.response.writeContinue();
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
