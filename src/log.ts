import type { Writable } from 'node:stream';

/** The levels of a log line, by what a reader should do about it: nothing, look, act. */
export type Level = 'info' | 'warn' | 'error';

/** What happened, beside the sentence that says it. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Writes down what happened. */
export type Log = (level: Level, message: string, fields?: LogFields) => void;

/** What a stream that nobody reads may hold, in bytes. */
const MAX_UNREAD_BYTES = 1024 * 1024;

/**
 * Writes text to a stream, and never harms who calls it: where the stream is closed, full or not
 * read, text is lost, and nothing else happens.
 */
export class Output {
  readonly #stream: Writable;

  constructor(stream: Writable) {
    this.#stream = stream;
    stream.on('error', () => {});
  }

  write(text: string): void {
    if (this.#stream.writableLength > MAX_UNREAD_BYTES) return;
    try {
      this.#stream.write(text);
    } catch {
      // A file that cannot grow makes writing fail at once.
    }
  }
}

/** Writes what comes within one turn of the event loop as one piece. */
export class BatchedOutput {
  readonly #output: Output;
  #text = '';

  constructor(output: Output) {
    this.#output = output;
  }

  write(text: string): void {
    if (this.#text === '') setImmediate(() => this.flush());
    this.#text += text;
  }

  /** Writes at once what waits. */
  flush(): void {
    if (this.#text !== '') this.#output.write(this.#text);
    this.#text = '';
  }
}

/** A log of JSON lines: time (UTC), level, message, and the fields. */
export function jsonLog(output: Pick<Output, 'write'>): Log {
  return (level, message, fields = {}) => {
    const line = { time: new Date().toISOString(), level, message, ...fields };
    output.write(`${JSON.stringify(line)}\n`);
  };
}

/** What a log line says of an error: all a developer needs to find its cause. */
export function describeError(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: String(error) };
  const cause = error.cause === undefined ? {} : { cause: describeError(error.cause) };
  return { error: error.message, stack: error.stack, ...cause };
}
