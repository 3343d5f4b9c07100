import { type IncomingMessage, METHODS } from 'node:http';
import type { Socket } from 'node:net';
import type { ParserError } from './parser-error.ts';

/**
 * The maximum number of fields that a connection sends up to its first request with `Upgrade`, an
 * offer. Lengths are computed as if a space followed each colon, so a client that omits all 16 can
 * hide 16 bytes behind its requests. The shortest header section, `GET / HTTP/1.1` with two line
 * ends, has 18.
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
 *
 * After an offer, `node:http` also reports no error until the next header section has arrived. So
 * these bytes are checked here.
 */
export class RequestBytes {
  readonly #socket: Socket;
  readonly #maxHeadBytes: number;
  readonly #onError: (error: ParserError) => void;
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
  /** The bytes that have arrived since an offer; undefined if a request has followed it. */
  #sinceOffer: string | undefined;

  /**
   * @param maxHeadBytes the maximum length of request line and header section
   * @param onError called when bytes that follow an offer are not a request
   */
  constructor(socket: Socket, maxHeadBytes: number, onError: (error: ParserError) => void) {
    this.#socket = socket;
    this.#maxHeadBytes = maxHeadBytes;
    this.#onError = onError;
  }

  /** Event: the header section of a request has arrived. @param contentLength NaN if unknown */
  add({ method = '', url = '', rawHeaders }: IncomingMessage, contentLength: number): void {
    this.#headerLength = method.length + url.length + '  HTTP/1.1\r\n\r\n'.length;
    // A colon and a space, or a line end.
    for (const { length } of rawHeaders) this.#headerLength += length + 2;
    this.#computed += this.#headerLength + contentLength;
    this.#fields += rawHeaders.length / 2;
    this.#sinceOffer = undefined;
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
    if (offersUpgrade && !this.#isUnknown) {
      if (!this.#isSeen) this.#seeSegments();
      this.#sinceOffer = '';
    }
    return offersUpgrade && this.#isUnknown;
  }

  #seeSegments(): void {
    this.#isSeen = true;
    // Before the parser gets it, which from now on reads the stream of the socket, not its handle.
    this.#socket.prependListener('data', (segment: Buffer) => {
      if (this.#sinceOffer !== undefined) this.#sinceOffer += segment.toString('latin1');
      // A header section that is split counts as unknown: its end could be mistaken.
      this.#segments = this.#segments
        ? { ...this.#segments, behind: this.#segments.behind + segment.length }
        : firstSegment(segment);
    });
    // After the parser has got it.
    this.#socket.on('data', () => {
      const error = this.#sinceOffer && errorIn(this.#sinceOffer, this.#maxHeadBytes);
      if (!error) return;
      this.#sinceOffer = undefined;
      this.#onError(error);
    });
  }
}

/** The length of the header section with which a segment begins, and the bytes behind it. */
function firstSegment(segment: Buffer) {
  const end = segment.indexOf(HEADER_END);
  const headerLength = end === -1 ? Number.NaN : end + HEADER_END.length;
  return { headerLength, behind: segment.length - headerLength };
}

/** The error in bytes from which the parser has made no request; undefined if one may follow. */
function errorIn(bytes: string, maxHeadBytes: number): ParserError | undefined {
  const rawPacket = Buffer.from(bytes, 'latin1');
  const line = bytes.replace(/^[\r\n]+/, '');
  const [word = '', rest] = line.split(' ', 2);
  const isMethod = METHODS.some((name) =>
    rest === undefined ? name.startsWith(word) : name === word,
  );
  if (!isMethod) return { code: 'HPE_INVALID_METHOD', message: '', rawPacket };
  const end = line.indexOf(HEADER_END);
  const isTooLong = (end === -1 ? bytes.length : end) > maxHeadBytes;
  if (isTooLong) return { code: 'HPE_HEADER_OVERFLOW', message: '', rawPacket };
  return end === -1 ? undefined : { message: 'a line of it is invalid', rawPacket };
}
