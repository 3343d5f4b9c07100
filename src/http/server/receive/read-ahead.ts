import type { Socket } from 'node:net';
import { clock } from '../../../clock.ts';
import { type ContentOwner, hasContent, IncomingContent } from './incoming-content.ts';
import {
  currentSegment,
  hookParser,
  type IncomingRequest,
  loseParsers,
  parse,
  stopReading,
} from './node-internals.ts';
import { http2Error, type ParserError, parserError } from './parser-error.ts';
import { MAX_PARTIAL_HEAD_MEMORY, PartialHead } from './partial-head.ts';
import { UnreportedHead } from './unreported-head.ts';

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
  /** Serves the requests that have begun, and no others. */
  drain(): void;
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
 * section 7.8). In either case `node:http` forgets the rest of the segment; it is parsed here. Nor
 * does the parser report errors in what follows, until the next header section is complete.
 *
 * Where the parser cannot be stopped or watched, the connection ends as soon as that would matter.
 */
export class ReadAhead implements ContentOwner {
  readonly #socket: Socket;
  readonly #connection: Ahead;
  readonly #partialHead = new PartialHead();
  readonly #unreported = new UnreportedHead();
  #requests = 0;
  #contentBytes = 0;
  /** How much of what was read from the socket has been parsed, in bytes. */
  #read = 0;
  /** The last request that was accepted. */
  #accepted: IncomingRequest | undefined;
  /** How much had been read when a request began in this segment. */
  #begunAt: number | undefined;
  /** Whether the parser was told to stop. */
  #mustStop = false;
  /** A segment in which the parser has stopped, and how much of it was parsed. */
  #segment: Buffer | undefined;
  #parsed = 0;
  #isHooked: boolean;
  #hasEnded = false;

  constructor(socket: Socket, connection: Ahead) {
    this.#socket = socket;
    this.#connection = connection;
    socket.on('resume', this.#onResume);
    this.#isHooked = hookParser(socket, {
      accepts: (message) => this.#accepts(message),
      stopsAfter: (message) => this.#stopsAfter(message),
      onSegment: (parsed) => this.#onSegment(parsed),
    });
    if (!this.#isHooked) connection.hold(MAX_PARTIAL_HEAD_MEMORY);
  }

  /** Whether so much waits that nothing more is parsed or read. */
  get isFull(): boolean {
    return this.#requests >= MAX_REQUESTS || this.#contentBytes > MAX_CONTENT_BYTES;
  }

  /** Whether a request has begun to arrive of which the parser would not report the end. */
  get isUnreported(): boolean {
    return this.#unreported.hasBegun;
  }

  /**
   * A request has begun.
   * @returns whether to serve it
   */
  begin(message: IncomingRequest): boolean {
    const { bytesRead } = this.#socket;
    const isWatched = message === this.#accepted && (this.#begunAt ?? bytesRead) === bytesRead;
    if (!isWatched || this.#mustStop) this.#lose();
    this.#begunAt = bytesRead;
    this.#unreported.complete();
    const { headers } = message;
    if (this.#isOver || !(this.#isHooked || this.#beginsUnwatched(headers.upgrade))) return false;
    if (headers.upgrade !== undefined) this.#unreported.follow(message);
    if (hasContent(headers)) message.reader = new IncomingContent(headers, this);
    return true;
  }

  /** A request that has begun must wait. */
  add(message: IncomingRequest): void {
    this.#requests++;
    this.#connection.hold(bytesOf(message));
    if (this.isFull) clock.nextTick(this.#pauseIfBlocked);
    if (this.#requests > MAX_REQUESTS && this.#connection.isMemoryShort) this.#end();
  }

  /** It is its turn. */
  remove(message: IncomingRequest): void {
    this.#requests--;
    this.#connection.hold(-bytesOf(message));
    if (!this.isFull) this.#goOn();
  }

  /** Content has arrived. */
  receive(bytes: number): void {
    this.#partialHead.skip(bytes);
  }

  /** Content takes more or less memory. */
  holdContent(content: IncomingContent, bytes: number): void {
    this.#connection.hold(bytes);
    if (!content.isWaiting) return;
    this.#contentBytes += bytes;
    if (bytes > 0 && this.#connection.isOver) content.discard();
    clock.nextTick(this.isFull ? this.#pauseIfBlocked : this.#goOn);
  }

  /** Called regularly: ends the connection if it was read without being watched. */
  check(): void {
    if (this.#isHooked && !this.#isOver && this.#socket.bytesRead !== this.#read) this.#lose();
  }

  /** CONNECT is not supported: what follows it is not HTTP. */
  #accepts(message: IncomingRequest): boolean {
    this.#accepted = message;
    if (message.method === 'CONNECT') this.#end();
    return !this.#isOver;
  }

  #stopsAfter(message: IncomingRequest): boolean {
    this.#mustStop = this.isFull;
    if (this.#mustStop) this.#unreported.follow(message);
    return this.#mustStop;
  }

  /** Whether to serve a request though the parser can be neither stopped nor watched. */
  #beginsUnwatched(upgrade: string | undefined): boolean {
    if (this.isFull) this.#end();
    // The rest of its segment is lost, so it has to be the last one.
    if (upgrade !== undefined) this.#connection.drain();
    return !this.isFull;
  }

  /** The parser does what it should not: nothing more of it can be trusted. */
  #lose(): void {
    if (!this.#isHooked) return;
    this.#isHooked = false;
    loseParsers();
    this.#end();
  }

  /** Accepts nothing more, and ends the connection after the responses that are owed. */
  #end(): void {
    if (this.#isOver) return;
    this.#hasEnded = true;
    this.#connection.end();
  }

  #onSegment(parsed: number | ParserError): void {
    const arrived = this.#socket.bytesRead - this.#read;
    const isFirst = this.#read === 0 && this.#begunAt === undefined;
    this.#read += arrived;
    this.#endSegment(arrived);
    if (typeof parsed !== 'number' || this.#isOver) return;
    if (this.#segment !== undefined) this.#lose();
    else if (parsed === arrived) this.#count(parsed);
    else this.#keepRest(arrived, parsed);
    const error = isFirst && http2Error(currentSegment(this.#socket));
    if (error) this.#connection.refuse(error);
  }

  /** The parser has stopped in a segment. */
  #keepRest(arrived: number, parsed: number): void {
    const segment = currentSegment(this.#socket);
    if (segment?.length !== arrived) {
      this.#lose();
      return;
    }
    this.#segment = segment;
    this.#connection.hold(arrived);
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

  readonly #pauseIfBlocked = (): void => {
    if (this.#isBlocked && !this.#isOver) stopReading(this.#socket);
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
    this.#count(bytes);
    this.#parsed += bytes;
    if (this.#parsed === length) this.#forgetSegment();
    else if (bytes <= 0 || this.#parsed > length) {
      this.#parsed -= bytes;
      this.#fail(parserError('HPE_INVALID_METHOD'));
      return false;
    }
    return true;
  }

  #count(parsed: number): void {
    this.#mustStop = false;
    this.#unreported.count(parsed);
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
    const bytes = this.#partialHead.endSegment(length, this.#begunAt !== undefined);
    this.#begunAt = undefined;
    if (bytes !== 0) this.#connection.hold(bytes);
  }
}

function bytesOf({ rawHeaders }: IncomingRequest): number {
  return REQUEST_BYTES + rawHeaders.length * HEADER_STRING_BYTES;
}
