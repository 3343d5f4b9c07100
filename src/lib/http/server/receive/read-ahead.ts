import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { clock } from '../../../clock.ts';
import { type SocketParser, stopReading } from './socket-parser.ts';

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
  /** Whether a whole request, or content that is too long, waits for the one before it. */
  readonly isFull: boolean;
  /** Reports how much memory the client takes now; if that differs, it has made progress. */
  reportMemory(): void;
  /** The same, when what waits for the response before it has changed. */
  reportWaiting(): void;
  /** Closes: at once if no response is owed, else after the last one. */
  end(): void;
}

/**
 * What a client has sent ahead (README: "Memory for clients"), such as the beginning of a header
 * section. Of that, `node:http` tells nothing until it is complete: all that was read since the
 * last look, except content, may be the beginning of one.
 */
export class ReadAhead {
  readonly connection: Ahead;
  /** Whether the last request to serve has arrived. */
  hasEnded = false;
  readonly #socket: Socket;
  readonly #parser: SocketParser;
  /** How much had been read with the last piece of content, and at the last look, in bytes. */
  #contentReadAt = 0;
  #read = 0;
  /** How much may be the beginning of a header section, in bytes. */
  #headBytes = 0;
  /** The memory of requests after the last one to serve, in bytes. */
  #ignoredBytes = 0;

  constructor(socket: Socket, parser: SocketParser, connection: Ahead) {
    this.#socket = socket;
    this.#parser = parser;
    this.connection = connection;
    // `node:http` resumes it after each request and response, and when it has drained.
    socket.on('resume', this.#pauseIfFull);
  }

  /** The memory of all that is no request to serve, in bytes. */
  get bytes(): number {
    const counted = Math.min(this.#headBytes, this.#parser.maxHeadBytes);
    return this.#ignoredBytes + (counted <= FREE_HEAD_BYTES ? 0 : MEMORY_PER_BYTE * counted);
  }

  /** Whether content of the last request has come in the last segment. */
  get hasContentInSegment(): boolean {
    return this.#contentReadAt === this.#socket.bytesRead;
  }

  /** A header section has arrived: the last, if no other can be. @returns whether to serve it */
  accept(message: IncomingMessage, isLast: boolean): boolean {
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
    this.#ignoredBytes += memoryOf(message);
    this.connection.reportMemory();
    this.#parser.stop();
    return false;
  }

  /** Counts what has arrived; called regularly, and with the bytes of each piece of content. */
  countRead(contentBytes = 0): void {
    const { bytesRead } = this.#socket;
    if (contentBytes > 0) this.#contentReadAt = bytesRead;
    this.#countHead(this.#headBytes + bytesRead - this.#read - contentBytes);
    this.#read = bytesRead;
  }

  /** Goes on reading, or stops once the parser is done with the segment, as much as waits now. */
  adjustReading(): void {
    if (!this.#socket.isPaused()) clock.nextTick(this.#pauseIfFull);
    else if (!this.connection.isFull && !this.connection.isOver) this.#socket.resume();
  }

  #countHead(bytes: number): void {
    const isMuch = Math.max(this.#headBytes, bytes) > FREE_HEAD_BYTES;
    this.#headBytes = Math.max(0, bytes);
    if (isMuch) this.connection.reportMemory();
  }

  readonly #pauseIfFull = (): void => {
    const { isFull, isOver } = this.connection;
    if (isFull && !isOver) stopReading(this.#socket);
  };
}

/** The memory of a request besides its content, in bytes. */
export function memoryOf({ rawHeaders }: IncomingMessage): number {
  return REQUEST_BYTES + rawHeaders.length * HEADER_STRING_BYTES;
}
