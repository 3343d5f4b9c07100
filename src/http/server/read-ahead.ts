import type { Socket } from 'node:net';
import { type Message, NO_READER } from './message.ts';

/** How many requests may wait before reading pauses. */
const MAX_REQUESTS = 8;

/** How many bytes of their content may. */
const MAX_CONTENT_BYTES = 64 * 1024;

/** The memory of a waiting request, and what each string of its header section adds, in bytes. */
const REQUEST_BYTES = 2 * 1024;
const HEADER_STRING_BYTES = 64;

/** The connection that reads ahead. */
export interface Ahead {
  /** Whether nothing more is served. */
  readonly isOver: boolean;
  /** Holds more or less memory for the client. */
  hold(bytes: number): void;
}

/**
 * What a client has sent ahead: requests that wait for the responses before theirs. They count as
 * held, and while they are many, nothing more is read.
 */
export class ReadAhead {
  readonly #socket: Socket;
  readonly #connection: Ahead;
  #requests = 0;
  #contentBytes = 0;

  constructor(socket: Socket, connection: Ahead) {
    this.#socket = socket;
    this.#connection = connection;
    socket.on('resume', this.#pauseWhileFull);
  }

  /** Whether so much waits that nothing more is read. */
  get isFull(): boolean {
    return this.#requests >= MAX_REQUESTS || this.#contentBytes > MAX_CONTENT_BYTES;
  }

  /** A request must wait. */
  add(message: Message): void {
    this.#requests++;
    this.#connection.hold(bytesOf(message));
    message.onWaiting = (bytes) => {
      this.#contentBytes += bytes;
      this.#connection.hold(bytes);
      if (bytes > 0 && this.#connection.isOver) message.sendContentTo(NO_READER);
      this.#pauseIfFull();
    };
    this.#pauseIfFull();
  }

  /** It is its turn. */
  remove(message: Message): void {
    this.#requests--;
    this.#connection.hold(-bytesOf(message));
    if (!this.isFull) this.#socket.resume();
  }

  /**
   * Pauses after the requests that have been read already, because `node:http` resumes a paused
   * socket at the end of each.
   */
  #pauseIfFull(): void {
    if (this.isFull && !this.#socket.isPaused()) process.nextTick(this.#pauseWhileFull);
  }

  /** `node:http` also resumes the socket after each response, and when it has drained. */
  readonly #pauseWhileFull = (): void => {
    if (this.isFull && !this.#connection.isOver) this.#socket.pause();
  };
}

function bytesOf({ rawHeaders }: Message): number {
  return REQUEST_BYTES + rawHeaders.length * HEADER_STRING_BYTES;
}
