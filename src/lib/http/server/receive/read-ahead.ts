import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { clock } from '../../../clock.ts';
import { type SocketParser, stopReading } from './socket-parser.ts';

/** How many requests, and bytes of their content, may wait before nothing more is read. */
const MAX_REQUESTS = 8;
const MAX_CONTENT_BYTES = 64 * 1024;

/** The memory of a request, and what each string of its header section adds, in bytes. */
const REQUEST_BYTES = 4 * 1024;
const HEADER_STRING_BYTES = 64;

/** So many bytes of a header section belong to the memory of a connection itself. */
const FREE_HEAD_BYTES = 2 * 1024;

/** The memory that a byte takes, with the strings and places of a field's name and value. */
const MEMORY_PER_BYTE = 2;

/** The connection that reads ahead. */
export interface Ahead {
  /** Whether nothing more is served. */
  readonly isOver: boolean;
  /** Holds more or less memory for the client, which in either case has made progress. */
  hold(bytes: number): void;
  /** Closes: at once if no response is owed, else after the last one. */
  end(): void;
}

/**
 * What a client has sent ahead (README: "Memory for clients"): requests that wait, their content,
 * and the beginning of a header section. Of that, `node:http` tells nothing until it is complete:
 * all that was read since the last look, except content, may be the beginning of one.
 */
export class ReadAhead {
  readonly connection: Ahead;
  /** Whether the last request to serve has arrived. */
  hasEnded = false;
  readonly #socket: Socket;
  readonly #parser: SocketParser;
  #requests = 0;
  #contentBytes = 0;
  /** How much had been read with the last piece of content, and at the last look, in bytes. */
  #contentReadAt = 0;
  #read = 0;
  /** How much may be the beginning of a header section, and the memory held for that, in bytes. */
  #headBytes = 0;
  #headMemory = 0;

  constructor(socket: Socket, parser: SocketParser, connection: Ahead) {
    this.#socket = socket;
    this.#parser = parser;
    this.connection = connection;
    // `node:http` resumes it after each request and response, and when it has drained.
    socket.on('resume', this.#pauseIfFull);
  }

  /** Whether so much waits that nothing more is read. */
  get isFull(): boolean {
    return this.#requests >= MAX_REQUESTS || this.#contentBytes > MAX_CONTENT_BYTES;
  }

  /** Whether content of the last request has come in the last segment. */
  get hasContentInSegment(): boolean {
    return this.#contentReadAt === this.#socket.bytesRead;
  }

  /** A header section has arrived: the last, if no other can be. @returns whether to serve it */
  begin(message: IncomingMessage, isLast: boolean): boolean {
    const { bytesRead } = this.#socket;
    // The segment that completes it may also hold the beginning of the next one.
    if (bytesRead > this.#read) this.#countHead(bytesRead - this.#read);
    this.#read = bytesRead;
    this.#contentReadAt = 0;
    if (!this.connection.isOver && !this.hasEnded) {
      this.hasEnded = isLast;
      return true;
    }
    // `node:http` keeps it until the connection has closed, so it must not make more of them.
    this.#hold(message);
    this.#parser.stop();
    return false;
  }

  #hold(message: IncomingMessage): void {
    this.#requests++;
    this.connection.hold(bytesOf(message));
  }

  /** A request that has begun must wait. @returns whether more wait than are to be read ahead */
  add(message: IncomingMessage): boolean {
    this.#hold(message);
    if (this.isFull) clock.nextTick(this.#pauseIfFull);
    return this.#requests > MAX_REQUESTS;
  }

  /** It is its turn. */
  remove(message: IncomingMessage): void {
    this.#requests--;
    this.connection.hold(-bytesOf(message));
    this.#goOn();
  }

  /** Counts what has arrived; called regularly, and with the bytes of each piece of content. */
  receive(contentBytes = 0): void {
    const { bytesRead } = this.#socket;
    if (contentBytes > 0) this.#contentReadAt = bytesRead;
    this.#countHead(this.#headBytes + bytesRead - this.#read - contentBytes);
    this.#read = bytesRead;
  }

  /** More or, if negative, less content waits with its request. */
  addContent(bytes: number): void {
    this.#contentBytes += bytes;
    if (this.isFull) clock.nextTick(this.#pauseIfFull);
    else this.#goOn();
  }

  #countHead(bytes: number): void {
    this.#headBytes = Math.max(0, bytes);
    const counted = Math.min(this.#headBytes, this.#parser.maxHeadBytes);
    const memory = counted <= FREE_HEAD_BYTES ? 0 : MEMORY_PER_BYTE * counted;
    if (memory !== this.#headMemory) this.connection.hold(memory - this.#headMemory);
    this.#headMemory = memory;
  }

  #goOn(): void {
    if (!this.isFull && this.#socket.isPaused() && !this.connection.isOver) this.#socket.resume();
  }

  readonly #pauseIfFull = (): void => {
    if (this.isFull && !this.connection.isOver) stopReading(this.#socket);
  };
}

function bytesOf({ rawHeaders }: IncomingMessage): number {
  return REQUEST_BYTES + rawHeaders.length * HEADER_STRING_BYTES;
}
