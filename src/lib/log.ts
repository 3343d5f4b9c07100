import type { Writable } from 'node:stream';
import { inspect } from 'node:util';
import { clock } from './clock.ts';
import { escapeControls, MAX_LINE_BYTES } from './printable.ts';

/** The fields of a log line, besides its message. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Logs an event. The level tells a reader to do nothing, to investigate, or to act now. */
export type Log = (level: 'info' | 'warn' | 'error', message: string, fields?: LogFields) => void;

/** The maximum bytes to buffer for a stream that is not read. */
const MAX_UNREAD_BYTES = 1024 * 1024;

/** The length of text that is written before its turn ends, in UTF-16 units. */
const PIECE_LENGTH = 64 * 1024;

/**
 * Collects the texts of a turn of the event loop, and writes them to a stream as one piece. Drops
 * them if the stream is closed, full or not read.
 */
export class Output {
  readonly #stream: Writable;
  #text = '';

  constructor(stream: Writable) {
    this.#stream = stream;
    // Without a listener, an error of the stream would end the process.
    stream.on('error', () => {});
    const { isTTY, _handle: handle } = Object(stream);
    // By default, Node blocks while a terminal has stopped its output. Only the internal `_handle`
    // can change that.
    if (isTTY === true) handle?.setBlocking?.(false);
  }

  write(text: string): void {
    if (this.#text === '') clock.setImmediate(() => this.flush());
    this.#text += text;
    if (this.#text.length >= PIECE_LENGTH) this.flush();
  }

  /** Writes the lines of this turn of the event loop now, not at its end. */
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

/** The maximum number of values that a log of distinct values has. */
const MAX_DISTINCT = 100;

/**
 * Creates a function that logs a warning for each of the first 100 distinct values.
 * @param field the name of the value in the log line
 */
export function createDistinctLog(log: Log | undefined, message: string, field: string) {
  const logged = new Set<string>();
  return (value: string): void => {
    if (logged.size >= MAX_DISTINCT || logged.has(value)) return;
    logged.add(value);
    log?.('warn', message, { [field]: value });
  };
}

/** Creates a log of JSON lines: time (UTC), level, message, and the fields. */
export function jsonLog(output: Output): Log {
  return (level, message, fields = {}) => {
    const time = new Date(clock.time()).toISOString();
    output.write(`${jsonLine({ time, level, message, ...fields })}\n`);
  };
}

/**
 * An object as JSON on one line, without control characters. If it is too long, its texts are cut,
 * or else its fields are left out, and `truncated` is true.
 */
function jsonLine(fields: LogFields): string {
  const textOf = (value: LogFields, length?: number) =>
    escapeControls(JSON.stringify(value, (_name, each) => loggable(each, length)));
  let line = textOf(fields);
  const isLong = () => Buffer.byteLength(line) >= MAX_LINE_BYTES;
  for (let length = MAX_LINE_BYTES / 2; isLong() && length >= 1; length /= 2) {
    line = textOf({ ...fields, truncated: true }, length);
  }
  const { time, level, message } = fields;
  return isLong() ? JSON.stringify({ time, level, message, truncated: true }) : line;
}

/** A value as a log line has it: a text cut to a length, in UTF-16 units; a bigint as a text. */
function loggable(value: unknown, length = Number.POSITIVE_INFINITY): unknown {
  if (typeof value === 'bigint') return String(value);
  const isLong = typeof value === 'string' && value.length > length;
  return isLong ? value.slice(0, length).toWellFormed() : value;
}

/** The maximum number of logged causes of an error, because causes may be circular. */
const MAX_CAUSES = 5;

/** The fields of a log line about an error, with which a developer can find the cause. */
export function describeError(error: unknown, causes = MAX_CAUSES): LogFields {
  if (!(error instanceof Error)) {
    return { error: typeof error === 'string' ? error : inspect(error) };
  }
  const { message, stack, cause } = error;
  if (cause === undefined || causes === 0) return { error: message, stack };
  return { error: message, stack, cause: describeError(cause, causes - 1) };
}
