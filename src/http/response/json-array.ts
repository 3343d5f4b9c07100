import { type ByteString, byteString, joined } from '../../json/byte-string.ts';

/** Values found in short steps. */
export interface Source<T> {
  /** The values found in the next step, possibly none; undefined at the end. */
  step(): readonly T[] | undefined;
  /** The memory held for the remaining values, in bytes. */
  readonly bytes: number;
  /** Releases what is held. */
  close(): void;
}

/** The size of a chunk: a few writes of a socket. */
const CHUNK_BYTES = 64 * 1024;

/** How much text to produce in one step: some tenths of a millisecond of work. */
const STEP_BYTES = 32 * 1024;

const NOTHING = byteString('');
const OPENING = byteString('[');
const COMMA = byteString(',');
const CLOSING = byteString(']');

/** The JSON text of a list, chunk by chunk. */
export class JsonArray<T> {
  readonly #source: Source<T>;
  readonly #serialize: (value: T) => ByteString;
  readonly #whole: ((text: ByteString) => void) | undefined;
  #found: readonly T[] = [];
  #next = 0;
  #text = OPENING;
  #separator = NOTHING;
  #isDone = false;

  /** @param whole receives the whole text if it turned out to be short */
  constructor(
    source: Source<T>,
    serialize: (value: T) => ByteString,
    whole?: (text: ByteString) => void,
  ) {
    this.#source = source;
    this.#serialize = serialize;
    this.#whole = whole;
  }

  get bytes(): number {
    return this.#source.bytes + this.#text.length;
  }

  /** The next chunk: empty if there is not enough text yet, undefined at the end. */
  next(): ByteString | undefined {
    if (this.#isDone) return undefined;
    if (this.#next < this.#found.length) this.#write();
    else this.#step();
    if (!this.#isDone && this.#text.length < CHUNK_BYTES) return NOTHING;
    const chunk = this.#text;
    this.#text = NOTHING;
    return chunk;
  }

  close(): void {
    this.#source.close();
  }

  whole(text: ByteString): void {
    this.#whole?.(text);
  }

  #step(): void {
    const found = this.#source.step();
    if (found !== undefined) {
      this.#found = found;
      this.#next = 0;
      this.#write();
    } else {
      this.#isDone = true;
      this.#text = joined(this.#text, CLOSING);
    }
  }

  #write(): void {
    const end = this.#text.length + STEP_BYTES;
    let text = this.#text;
    while (this.#next < this.#found.length && text.length < end) {
      const value = this.#found[this.#next++];
      if (value === undefined) continue;
      text = joined(text, joined(this.#separator, this.#serialize(value)));
      this.#separator = COMMA;
    }
    this.#text = text;
  }
}
