import type { IncomingRequest } from './node-internals.ts';

/**
 * The bytes of a header section in which the parser reports no error, not even the end of the
 * connection: one that follows a request for another protocol. Once it is complete, errors are
 * reported again.
 */
export class UnreportedHead {
  #request: IncomingRequest | undefined;
  #bytes = Number.NaN;

  /** Whether some of it has arrived. */
  get hasBegun(): boolean {
    return this.#bytes > 0;
  }

  /** The parser stops after a request, once that has arrived as a whole. */
  follow(request: IncomingRequest): void {
    this.#request = request;
  }

  /** A header section is complete. */
  complete(): void {
    this.#bytes = Number.NaN;
  }

  /** The parser has taken so many bytes. */
  count(bytes: number): void {
    this.#bytes += bytes;
    if (!this.#request?.complete) return;
    this.#request = undefined;
    this.#bytes = 0;
  }
}
