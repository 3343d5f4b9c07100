import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/**
 * The maximum number of fields that a connection sends up to its first offer, in all. A space is
 * counted after each colon. If a client leaves out all 16, as many bytes behind its requests go
 * unnoticed. That is less than the shortest header section: `GET / HTTP/1.1` with two line ends has
 * 18 bytes.
 */
const MAX_FIELDS = 16;

const HEADER_END = '\r\n\r\n';

/**
 * Tells whether a connection has sent bytes behind a request, in the segment in which it ends.
 *
 * `node:http` drops them if the request offers an upgrade. They may be the header section of another
 * request, whose content would then be read as a request (decision 9).
 *
 * Up to the first offer, all bytes that were read are compared with the lengths of the requests. From
 * then on, each segment is seen as it was sent, which costs more time.
 */
export class RequestBytes {
  readonly #socket: Socket;
  /** The length of the latest header section, with a space after each colon. */
  #headerLength = 0;
  /** The length of all requests so far; NaN if it is unknown. */
  #computed = 0;
  #fields = 0;
  #isSeen = false;
  /** If segments are seen: those of a request that have arrived. */
  #segments: { readonly headerLength: number; readonly behind: number } | undefined;
  /** Whether bytes may have followed an earlier request in its segment. */
  #isUnknown = false;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Event: the header section of a request has arrived. @param contentLength NaN if unknown */
  add({ method = '', url = '', rawHeaders }: IncomingMessage, contentLength: number): void {
    this.#headerLength = method.length + url.length + '  HTTP/1.1\r\n\r\n'.length;
    // A colon and a space, or a line end.
    for (const { length } of rawHeaders) this.#headerLength += length + 2;
    this.#computed += this.#headerLength + contentLength;
    this.#fields += rawHeaders.length / 2;
  }

  /**
   * Event: a request has arrived, or is refused.
   * @param contentLength the length of its content; NaN if that is unknown, or has not arrived
   * @returns whether `node:http` may have dropped bytes behind it
   */
  end(contentLength: number, offersUpgrade: boolean): boolean {
    const isExact = this.#isSeen
      ? this.#segments?.headerLength === this.#headerLength &&
        this.#segments.behind === contentLength
      : this.#socket.bytesRead === this.#computed && this.#fields <= MAX_FIELDS;
    this.#segments = undefined;
    // For ever, because what follows may begin in the middle of a request.
    if (!isExact || Number.isNaN(contentLength)) this.#isUnknown = true;
    if (offersUpgrade && !this.#isSeen && !this.#isUnknown) this.#seeSegments();
    return offersUpgrade && this.#isUnknown;
  }

  #seeSegments(): void {
    this.#isSeen = true;
    // Before the parser gets it, which from now on reads the stream of the socket, not its handle.
    this.#socket.prependListener('data', (segment: Buffer) => {
      // A header section that is split counts as unknown: its end could be mistaken.
      this.#segments = this.#segments
        ? { ...this.#segments, behind: this.#segments.behind + segment.length }
        : firstSegment(segment);
    });
  }
}

/** The length of the header section with which a segment begins, and the bytes behind it. */
function firstSegment(segment: Buffer) {
  const end = segment.indexOf(HEADER_END);
  const headerLength = end === -1 ? Number.NaN : end + HEADER_END.length;
  return { headerLength, behind: segment.length - headerLength };
}
