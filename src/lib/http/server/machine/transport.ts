import type { Turn } from './turn.ts';

/** What has passed through a connection so far, in bytes; a socket has it. */
export interface Traffic {
  readonly bytesRead: number;
  /** What has been written, also what the system has not taken yet, which is `writableLength`. */
  readonly bytesWritten: number;
  readonly writableLength: number;
  /** Whether the client has ended its side. */
  readonly readableEnded: boolean;
}

/** What the core of a connection has done for it: its actions. */
export interface Actions<T extends Turn> {
  /** Serves a request, or responds with what refuses it; again once it is refused. */
  serve(turn: T): void;
  /** Calls `begin`, in a later turn of the event loop unless this one has time. */
  beginInTurn(turn: T): void;
  /** Counts so many more bytes that are held for the client. */
  addBytes(bytes: number): void;
  /** Reads on, or if it `isFull` and not `isOver`, no further than the segment being parsed. */
  adjustReading(): void;
  /** Parses nothing more, also of the segment that is being parsed. */
  ignoreRest(): void;
  /** Ends this side once everything is written, and calls `linger` until the other side ends. */
  endSide(): void;
  /** Closes at once. @param isReset whether with a TCP reset */
  disconnect(isReset: boolean): void;
}
