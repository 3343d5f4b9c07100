import type { IncomingMessage } from 'node:http';

/**
 * The maximum number of fields of a request whose length is certain. With more, the spaces that a
 * client leaves out could be as many as the bytes of a short request.
 */
const MAX_FIELDS = 16;

/**
 * Tells whether all bytes of a connection that were read are those of its requests.
 *
 * `node:http` drops what follows an offer of an upgrade in the same segment. If that is the header
 * section of another request, its content would then be read as a request (decision 9).
 *
 * The length of a request is computed, with a space after each colon. A client may leave it out. Then
 * fewer bytes arrive than were computed, which could hide that others were dropped.
 */
export class RequestBytes {
  /** The computed bytes of all requests; NaN if one has content of unknown length. */
  #computed = 0;
  /** Whether all bytes that were read are those of requests, now and at each comparison before. */
  areAll = true;

  /** Adds a request. @param contentLength NaN if it is unknown */
  add({ method = '', url = '', rawHeaders }: IncomingMessage, contentLength: number): void {
    this.#computed += method.length + url.length + '  HTTP/1.1\r\n\r\n'.length + contentLength;
    // A colon and a space, or a line end.
    for (const { length } of rawHeaders) this.#computed += length + 2;
    if (rawHeaders.length > 2 * MAX_FIELDS) this.#computed = Number.NaN;
  }

  /** Event: a request has arrived. After a difference, equal sums could be a coincidence. */
  compare(bytesRead: number): void {
    this.areAll &&= bytesRead === this.#computed;
  }
}
