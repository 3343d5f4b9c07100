import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/**
 * The maximum number of fields of a header section whose length is computed. A client may leave out
 * the space after each colon, which is counted, and more of them could be as long as a request.
 */
const MAX_FIELDS = 16;

/**
 * The bytes of all requests of a connection, to compare with those that were read.
 *
 * `node:http` drops what follows an offer of an upgrade in the same segment, such as the header
 * section of the next request, whose content would then be read as a request (decision 9). If all
 * bytes that were read are those of requests, nothing was dropped.
 */
export class RequestBytes {
  #bytes = 0;
  #isCertain = true;

  /** Adds a request. @param contentLength NaN if it is unknown */
  add({ method = '', url = '', rawHeaders }: IncomingMessage, contentLength: number): void {
    this.#bytes += method.length + url.length + '  HTTP/1.1\r\n\r\n'.length + contentLength;
    // A colon and a space, or a line end.
    for (const { length } of rawHeaders) this.#bytes += length + 2;
    this.#isCertain &&= rawHeaders.length <= 2 * MAX_FIELDS;
  }

  /**
   * Event: a request has arrived. @returns whether all bytes read so far are those of requests, and
   * were each time before, because spaces that were left out could make up for bytes that were dropped
   */
  areAll({ bytesRead }: Socket): boolean {
    this.#isCertain &&= bytesRead === this.#bytes;
    return this.#isCertain;
  }
}
