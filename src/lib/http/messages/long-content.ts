import { type ByteString, byteString, concatBytes } from '../../json/index.ts';
import { NOT_YET, type Steps } from '../../steps.ts';
import type { Request } from './request.ts';
import { type ContentParts, type HeaderFields, jsonResponse, type Response } from './response.ts';

/** The size of the buffer of the first part, which is often the only one, and of later buffers. */
export const FIRST_PART_BYTES = 256 * 1024;
export const PART_BYTES = 64 * 1024;

/** Text up to this size is a string: a short list needs no buffer, and goes out with its head. */
const MAX_STRING_BYTES = 16 * 1024;

const NO_TEXT = byteString('');
const BEGINNING = byteString('[');
const COMMA = byteString(',');

/** A part ends when less than this is free, so that a buffer seldom grows beyond its size. */
const RESERVE_BYTES = 8 * 1024;

/** The bytes to produce in one step, which takes tenths of a millisecond. */
const STEP_BYTES = 32 * 1024;

/** Long content to respond with. */
export interface LongContent<P extends ContentParts> {
  /** Makes the parts. Called again if they have to wait for a permit. */
  readonly make: () => P;
  /** The memory that the job takes besides its parts, if its first part takes long, in bytes. */
  readonly workingBytes?: number;
  /** Returns the fields of the response. Called when the first part has been made. */
  readonly fieldsOf?: (parts: P) => HeaderFields;
}

/**
 * Responds with long JSON content. Makes its first part before the response begins, because an
 * error can still replace the response. If there is only one part, it is the whole content.
 */
export async function longResponse<P extends ContentParts>(
  request: Request,
  status: number,
  { make, workingBytes = 0, fieldsOf = () => ({}) }: LongContent<P>,
): Promise<Response> {
  const parts = await request.runLong(make, workingBytes);
  const isShort = parts.isLast && parts.isShort;
  // Closes the parts even if a fault drops the response.
  if (!isShort) request.onEnd(() => parts.close?.());
  return jsonResponse(status, isShort ? parts.part : parts, fieldsOf(parts));
}

/** A long text, which is made in one step. */
export class LongText implements ContentParts {
  readonly isLast = true;
  readonly isShort = false;
  readonly #make: () => ByteString;
  part = NO_TEXT;

  constructor(make: () => ByteString) {
    this.#make = make;
  }

  next(): IteratorResult<undefined, void> {
    this.part = this.#make();
    return { done: true, value: undefined };
  }

  restart(): void {
    this.part = NO_TEXT;
  }

  close(): void {
    this.restart();
  }
}

/** Steps that find rows, and can find the same rows again. */
export interface RowSteps<T> extends Steps<readonly T[]> {
  restart(): void;
}

/** Returns the JSON of a row. */
export type SerializeRow<T> = (row: T, isAfterFirstPart: boolean) => ByteString;

/**
 * The JSON text of a list, made part by part while its rows are found. Long text goes into a buffer,
 * because V8 flattens strings that have survived two collections in its old generation, which many
 * lists at once could fill.
 */
export class JsonArray<T> implements ContentParts {
  readonly #rows: RowSteps<T>;
  readonly #serialize: SerializeRow<T>;
  #steps = this.#makeParts();
  /** The end of the part, which is not in the buffer yet. */
  #text = NO_TEXT;
  #buffer: Buffer | undefined;
  /** The bytes in the buffer. */
  #buffered = 0;
  #isFirst = true;
  isLast = false;

  constructor(rows: RowSteps<T>, serialize: SerializeRow<T>) {
    this.#rows = rows;
    this.#serialize = serialize;
  }

  get part(): ByteString | Buffer {
    return this.#buffer === undefined ? this.#text : this.#flush().subarray(0, this.#buffered);
  }

  get isShort(): boolean {
    return this.#buffer === undefined;
  }

  /** Runs a step. Done when a part has been made, also if more parts follow. */
  next(): IteratorResult<undefined, void> {
    return this.#steps.next().value ? { done: true, value: undefined } : NOT_YET;
  }

  restart(): void {
    this.#rows.restart();
    this.#steps = this.#makeParts();
    this.#text = NO_TEXT;
    // Not used again, because a cache may have it.
    this.#buffer = undefined;
    this.#buffered = 0;
    this.#isFirst = true;
    this.isLast = false;
  }

  close(): void {
    this.#rows.close?.();
    this.#buffer = undefined;
  }

  /** Yields true when a part has been made. */
  *#makeParts(): Generator<boolean, true> {
    let separator = BEGINNING;
    for (let step = this.#rows.next(); !step.done; step = this.#rows.next()) {
      let stepEnd = this.#size + (this.#buffer === undefined ? MAX_STRING_BYTES : STEP_BYTES);
      for (const row of step.value ?? []) {
        this.#append(separator);
        this.#append(this.#serialize(row, !this.#isFirst));
        separator = COMMA;
        if (this.#isFull) {
          yield true;
          this.#beginPart();
        } else if (this.#size > stepEnd) yield false;
        else continue;
        stepEnd = this.#size + STEP_BYTES;
      }
      yield false;
    }
    this.#append(separator === BEGINNING ? byteString('[]') : byteString(']'));
    this.isLast = true;
    return true;
  }

  get #size(): number {
    return this.#buffered + this.#text.length;
  }

  get #isFull(): boolean {
    return this.#size > (this.#isFirst ? FIRST_PART_BYTES : PART_BYTES) - RESERVE_BYTES;
  }

  #append(text: ByteString): void {
    this.#text = concatBytes(this.#text, text);
    if (this.#text.length > MAX_STRING_BYTES) this.#flush();
  }

  /** Moves the text to the buffer, which doubles as needed. */
  #flush(): Buffer {
    let buffer = this.#buffer ?? Buffer.allocUnsafeSlow(2 * MAX_STRING_BYTES);
    if (this.#size > buffer.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(this.#size, 2 * buffer.length));
      buffer.copy(grown, 0, 0, this.#buffered);
      buffer = grown;
    }
    this.#buffered += buffer.write(this.#text, this.#buffered, 'latin1');
    this.#text = NO_TEXT;
    this.#buffer = buffer;
    return buffer;
  }

  /** Begins the next part, in the same buffer if it is not the first part's. */
  #beginPart(): void {
    if (this.#isFirst) this.#buffer = Buffer.allocUnsafeSlow(PART_BYTES);
    this.#isFirst = false;
    this.#text = NO_TEXT;
    this.#buffered = 0;
  }
}
