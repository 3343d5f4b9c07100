import type { Socket } from 'node:net';
import { clock } from '../../../clock.ts';
import { type IncomingRequest, NO_READER } from './incoming-request.ts';
import { currentSegment, hookParser, parse } from './node-internals.ts';
import type { ParserError } from './parser-error.ts';
import { PartialHead } from './partial-head.ts';

/**
 * How many requests may wait before no more are parsed. The parser does not stop after content:
 * there, the connection ends if memory is short.
 */
const MAX_REQUESTS = 8;

/** How many bytes of their content may wait before no more are read. */
const MAX_CONTENT_BYTES = 64 * 1024;

/** The memory of a waiting request, and what each string of its header section adds, in bytes. */
const REQUEST_BYTES = 4 * 1024;
const HEADER_STRING_BYTES = 64;

/** The connection that reads ahead. */
export interface Ahead {
  /** Whether nothing more is served. */
  readonly isOver: boolean;
  /** Whether clients hold more memory than they may. */
  readonly isMemoryShort: boolean;
  /** Holds more or less memory for the client. */
  hold(bytes: number): void;
  /** Ends after the responses that are owed. */
  end(): void;
  /** Closes the connection because of bytes that are not a request. */
  refuse(error: ParserError): void;
}

/**
 * What a client has sent ahead: requests that wait for the responses before theirs, content that
 * waits with them, and bytes that have not been parsed. All of it counts as held. While it is much,
 * nothing more is parsed or read.
 *
 * The parser is stopped after a request by telling it that another protocol follows. It stops by
 * itself after a request that asks for one (`Upgrade`), which is served as any other (RFC 9110,
 * section 7.8). In either case `node:http` forgets the rest of the segment; it is parsed here.
 */
export class ReadAhead {
  readonly #socket: Socket;
  readonly #connection: Ahead;
  readonly #partialHead = new PartialHead();
  #requests = 0;
  #contentBytes = 0;
  /** How much has been read from the socket, in bytes. */
  #read = 0;
  /** A segment in which the parser has stopped, and how much of it was parsed. */
  #segment: Buffer | undefined;
  #parsed = 0;
  #hasEnded = false;

  constructor(socket: Socket, connection: Ahead) {
    this.#socket = socket;
    this.#connection = connection;
    socket.on('resume', this.#onResume);
    hookParser(socket, {
      accepts: ({ method }) => this.#accepts(method),
      stopsAfter: () => this.isFull,
      onSegment: (parsed) => this.#onSegment(parsed),
    });
  }

  /** Whether so much waits that nothing more is parsed or read. */
  get isFull(): boolean {
    return this.#requests >= MAX_REQUESTS || this.#contentBytes > MAX_CONTENT_BYTES;
  }

  /** A request has begun. */
  begin(message: IncomingRequest): void {
    this.#partialHead.complete();
    message.onContent = this.#skipContent;
  }

  /** A request that has begun must wait. */
  add(message: IncomingRequest): void {
    this.#requests++;
    this.#connection.hold(bytesOf(message));
    message.onWaiting = (bytes) => {
      this.#contentBytes += bytes;
      this.#connection.hold(bytes);
      if (bytes > 0 && this.#connection.isOver) message.sendContentTo(NO_READER);
      if (this.isFull) clock.nextTick(this.#pauseIfBlocked);
    };
    if (this.isFull) clock.nextTick(this.#pauseIfBlocked);
    if (this.#requests > MAX_REQUESTS && this.#connection.isMemoryShort) this.#end();
  }

  /** It is its turn. */
  remove(message: IncomingRequest): void {
    this.#requests--;
    this.#connection.hold(-bytesOf(message));
    if (!this.isFull) this.#goOn();
  }

  /** CONNECT is not supported: what follows it is not HTTP. */
  #accepts(method: string | undefined): boolean {
    if (method === 'CONNECT') this.#end();
    return !this.#isOver;
  }

  /** Accepts nothing more, and ends the connection after the responses that are owed. */
  #end(): void {
    if (this.#isOver) return;
    this.#hasEnded = true;
    this.#connection.end();
  }

  readonly #skipContent = (bytes: number): void => this.#partialHead.skip(bytes);

  #onSegment(parsed: number | ParserError): void {
    const arrived = this.#socket.bytesRead - this.#read;
    this.#read += arrived;
    this.#endSegment(arrived);
    if (parsed === arrived || typeof parsed !== 'number' || this.#isOver) return;
    this.#segment = currentSegment(this.#socket);
    if (this.#segment === undefined) return;
    this.#connection.hold(this.#segment.length);
    this.#parsed = 0;
    if (this.#advance(parsed)) clock.nextTick(this.#goOn);
  }

  /** Parses and reads on, unless too much waits. */
  readonly #goOn = (): void => {
    this.#parse();
    if (this.#isBlocked) clock.nextTick(this.#pauseIfBlocked);
    else if (this.#socket.isPaused() && !this.#isOver) this.#socket.resume();
  };

  /** `node:http` resumes the socket after each request and response, and when it has drained. */
  readonly #onResume = (): void => {
    this.#parse();
    this.#pauseIfBlocked();
  };

  #parse(): void {
    while (this.#segment !== undefined && !this.isFull && !this.#isOver) {
      const parsed = parse(this.#socket, this.#segment.subarray(this.#parsed));
      if (parsed === undefined) this.#forgetSegment();
      else if (typeof parsed === 'number') this.#advance(parsed);
      // `node:http` has paused it, because too much of the responses has not been sent.
      else if (parsed.code === 'HPE_PAUSED') return;
      else this.#fail(parsed);
    }
    if (this.#isOver) this.#forgetSegment();
  }

  /**
   * `node:http` may have resumed a socket that was paused in the same tick. Then it reads although
   * it is paused, until it is told so once more.
   */
  readonly #pauseIfBlocked = (): void => {
    if (!this.#isBlocked || this.#isOver) return;
    if (this.#socket.isPaused()) this.#socket.emit('pause');
    else this.#socket.pause();
  };

  get #isBlocked(): boolean {
    return this.isFull || this.#segment !== undefined;
  }

  /**
   * So much more of the segment was parsed.
   * @returns whether that can be: after a request for another protocol, the parser reports the
   * wrong number instead of an error
   */
  #advance(bytes: number): boolean {
    const length = this.#segment?.length ?? 0;
    this.#parsed += bytes;
    if (this.#parsed === length) this.#forgetSegment();
    else if (bytes <= 0 || this.#parsed > length) {
      this.#parsed -= bytes;
      this.#fail(Object.assign(new Error('Invalid request'), { code: 'HPE_INVALID_METHOD' }));
      return false;
    }
    return true;
  }

  #fail(error: ParserError): void {
    const rawPacket = this.#segment;
    if (rawPacket === undefined) return;
    const bytesParsed = this.#parsed + (error.bytesParsed ?? 0);
    this.#forgetSegment();
    this.#connection.refuse(Object.assign(error, { rawPacket, bytesParsed }));
  }

  #forgetSegment(): void {
    if (this.#segment === undefined) return;
    this.#connection.hold(-this.#segment.length);
    this.#segment = undefined;
    this.#endSegment(0);
  }

  get #isOver(): boolean {
    return this.#hasEnded || this.#connection.isOver;
  }

  #endSegment(length: number): void {
    const bytes = this.#partialHead.endSegment(length);
    if (bytes !== 0) this.#connection.hold(bytes);
  }
}

function bytesOf({ rawHeaders }: IncomingRequest): number {
  return REQUEST_BYTES + rawHeaders.length * HEADER_STRING_BYTES;
}
