import { type ByteString, byteString, joined } from '../../json/index.ts';
import type { Steps } from '../../steps.ts';
import type { ContentParts } from './long-content.ts';

/** The minimum sizes of the first part, which is often the only one, and of other parts. */
const FIRST_PART_BYTES = 256 * 1024;
const PART_BYTES = 64 * 1024;

/** The bytes to produce in one step, which takes tenths of a millisecond. */
const STEP_BYTES = 32 * 1024;

const NOTHING = byteString('');
const OPENING = byteString('[');
const COMMA = byteString(',');
const CLOSING = byteString(']');

/** The JSON text of a list, made part by part while its rows are found. */
export class JsonArray<T> implements ContentParts {
  readonly #rows: Steps<readonly T[]>;
  readonly #serialize: (row: T) => ByteString;
  readonly #onWhole: ((text: ByteString) => void) | undefined;
  readonly #parts = this.#makeParts();
  #text = OPENING;
  #partBytes = FIRST_PART_BYTES;

  /** @param onWhole receives the text if it is one part, so that it can be cached */
  constructor(
    rows: Steps<readonly T[]>,
    serialize: (row: T) => ByteString,
    onWhole?: (text: ByteString) => void,
  ) {
    this.#rows = rows;
    this.#serialize = serialize;
    this.#onWhole = onWhole;
  }

  get bytes(): number {
    return (this.#rows.bytes ?? 0) + this.#text.length;
  }

  next(): IteratorResult<ByteString | undefined, ByteString> {
    return this.#parts.next();
  }

  close(): void {
    this.#rows.close?.();
  }

  *#makeParts(): Generator<ByteString | undefined, ByteString> {
    let separator = NOTHING;
    for (let step = this.#rows.next(); !step.done; step = this.#rows.next()) {
      let stepEnd = this.#text.length + STEP_BYTES;
      for (const row of step.value ?? []) {
        this.#text = joined(this.#text, separator, this.#serialize(row));
        separator = COMMA;
        if (this.#text.length < stepEnd) continue;
        yield this.#takePart();
        stepEnd = this.#text.length + STEP_BYTES;
      }
      yield this.#takePart();
    }
    const last = joined(this.#text, CLOSING);
    this.#text = NOTHING;
    if (this.#partBytes === FIRST_PART_BYTES) this.#onWhole?.(last);
    return last;
  }

  #takePart(): ByteString | undefined {
    if (this.#text.length < this.#partBytes) return undefined;
    const part = this.#text;
    this.#text = NOTHING;
    this.#partBytes = PART_BYTES;
    return part;
  }
}
