import { type ByteString, byteString, byteStringOf, joined } from '../../json/byte-string.ts';

/** The events of one commit, and its number. */
export interface HistoryEntry {
  readonly number: number;
  readonly text: ByteString;
}

/** The memory for an entry besides its text, in bytes. */
const ENTRY_BYTES = 16;

/** Texts are gathered up to this size before they are written: each write is costly by itself. */
const WRITE_BYTES = 4 * 1024;

const NOTHING = byteString('');

/** Consecutive texts of events in a buffer of a fixed size, by ascending number. */
export class HistoryBlock {
  readonly #buffer: Buffer;
  readonly #numbers: number[] = [];
  /** Where the text of each entry ends. */
  readonly #ends: number[] = [];
  /** Texts yet to be written to the buffer. */
  #unwritten = NOTHING;

  /** @param size the room for texts, in bytes */
  constructor(size: number) {
    this.#buffer = Buffer.allocUnsafeSlow(size);
  }

  /** The memory it uses, in bytes. */
  get bytes(): number {
    return this.#buffer.length + this.#numbers.length * ENTRY_BYTES;
  }

  /** The number of the last entry, of which there must be one. */
  get last(): number {
    return this.#numbers.at(-1) ?? Number.NEGATIVE_INFINITY;
  }

  get #end(): number {
    return this.#ends.at(-1) ?? 0;
  }

  hasRoomFor({ text }: HistoryEntry): boolean {
    return this.#end + text.length <= this.#buffer.length;
  }

  /** Adds an entry, for which there must be room. */
  append({ number, text }: HistoryEntry): void {
    const start = this.#end;
    this.#numbers.push(number);
    this.#ends.push(start + text.length);
    this.#unwritten = joined(this.#unwritten, text);
    if (this.#unwritten.length >= WRITE_BYTES) this.write();
  }

  /** All texts after a number, and the number of the last one. */
  after(number: number): HistoryEntry {
    this.write();
    const seen = this.#numbers.findLastIndex((each) => each <= number);
    const text = byteStringOf(this.#buffer, this.#ends[seen] ?? 0, this.#end);
    return { number: this.last, text };
  }

  /** Writes the gathered texts, which use separate memory until then. */
  write(): void {
    this.#buffer.write(this.#unwritten, this.#end - this.#unwritten.length, 'latin1');
    this.#unwritten = NOTHING;
  }
}
