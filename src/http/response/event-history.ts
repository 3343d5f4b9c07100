import { type ByteString, byteString, joined } from '../../json/byte-string.ts';

/** What an entry takes beside its text, in bytes. */
const ENTRY_BYTES = 64;

const NOTHING = byteString('');

/** Texts of events by consecutive numbers, the newest of them as far as a limit in bytes allows. */
export class EventHistory {
  readonly #maxBytes: number;
  /** The texts that are kept, after some that are not any more. */
  #texts: ByteString[] = [];
  #dropped = 0;
  /** The number of the first text that is kept. */
  #first: number;
  #bytes = 0;

  /** @param first the number of the first text that comes */
  constructor(first: number, maxBytes: number) {
    this.#first = first;
    this.#maxBytes = maxBytes;
  }

  /** The number that the next text gets. */
  get next(): number {
    return this.#first + this.#texts.length - this.#dropped;
  }

  /** The memory held, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  append(text: ByteString): void {
    this.#texts.push(text);
    this.#bytes += text.length + ENTRY_BYTES;
    while (this.#bytes > this.#maxBytes) this.#drop();
  }

  /** Forgets the texts before a number. */
  forgetBefore(number: number): void {
    while (this.#first < Math.min(number, this.next)) this.#drop();
  }

  /** Whether all texts from a number on are kept. */
  has(number: number): boolean {
    return number >= this.#first && number <= this.next;
  }

  /**
   * The texts from a number on, as many as have come or as fit, at least one.
   * @returns them, and the number after the last of them
   */
  from(number: number, maxBytes: number): { readonly text: ByteString; readonly next: number } {
    let text = NOTHING;
    let next = number;
    for (const end = this.next; next < end && text.length < maxBytes; next++) {
      const more = this.#texts[next - this.#first + this.#dropped] ?? NOTHING;
      if (text !== '' && text.length + more.length > maxBytes) break;
      text = joined(text, more);
    }
    return { text, next };
  }

  #drop(): void {
    this.#bytes -= (this.#texts[this.#dropped]?.length ?? 0) + ENTRY_BYTES;
    this.#texts[this.#dropped] = NOTHING;
    this.#dropped++;
    this.#first++;
    // Moved rarely, since each move costs as much as there are texts.
    if (this.#dropped > this.#texts.length / 2) {
      this.#texts = this.#texts.slice(this.#dropped);
      this.#dropped = 0;
    }
  }
}
