import type { Writable } from 'node:stream';
import { clock } from './clock.ts';

/** The fields of a log line, besides its message. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Logs an event, at a level by what a reader should do: nothing, look, act. */
export type Log = (level: 'info' | 'warn' | 'error', message: string, fields?: LogFields) => void;

/** The maximum bytes to buffer for a stream that is not read. */
const MAX_UNREAD_BYTES = 1024 * 1024;

/** How much text of one turn of the event loop to write as one piece, in UTF-16 units. */
const PIECE_LENGTH = 64 * 1024;

/** Writes the texts of a turn to a stream as one piece, unless it is closed, full or not read. */
export class Output {
  readonly #stream: Writable;
  #text = '';

  constructor(stream: Writable) {
    this.#stream = stream;
    stream.on('error', () => {});
    const { isTTY, _handle: handle } = Object(stream);
    // By default, Node waits while the output of a terminal is stopped.
    if (isTTY === true) handle?.setBlocking?.(false);
  }

  write(text: string): void {
    if (this.#text === '') clock.setImmediate(() => this.flush());
    this.#text += text;
    if (this.#text.length >= PIECE_LENGTH) this.flush();
  }

  /** Writes at once what waits for the end of the turn. */
  flush(): void {
    const text = this.#text;
    this.#text = '';
    if (text === '' || this.#stream.writableLength > MAX_UNREAD_BYTES) return;
    try {
      this.#stream.write(text);
    } catch {
      // Writing to a file that cannot grow fails at once.
    }
  }
}

/** Logs JSON lines: time (UTC), level, message, and the fields. */
export function jsonLog(output: Output): Log {
  return (level, message, fields = {}) => {
    const line = { time: new Date(clock.time()).toISOString(), level, message, ...fields };
    output.write(`${JSON.stringify(line)}\n`);
  };
}

/** The fields of a log line about an error: what a developer needs to find the cause. */
export function describeError(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: String(error) };
  const cause = error.cause === undefined ? {} : { cause: describeError(error.cause) };
  return { error: error.message, stack: error.stack, ...cause };
}
