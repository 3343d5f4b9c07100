import { PAGE_SIZE, type Page } from './page.ts';

/** The bytes of a reference to a page, with the spare capacity of the array. */
const BYTES_PER_PAGE = 16;

/** The pages in order of slots. Empty pages at the start are not stored. */
export class Directory {
  /**
   * The epoch in which the directory was made. While a snapshot sees it, a write copies it first.
   */
  readonly epoch: number;
  /** The number of rows in all pages. */
  size: number;
  readonly #pages: (Page | undefined)[];
  /** The number of pages before the first stored one. */
  #first: number;

  constructor(epoch: number, pages: (Page | undefined)[] = [], first = 0, size = 0) {
    this.epoch = epoch;
    this.size = size;
    this.#pages = pages;
    this.#first = first;
  }

  /** All rows are in slots below this one. */
  get end(): number {
    return (this.#first + this.#pages.length) * PAGE_SIZE;
  }

  /** Memory held without the pages, in bytes. */
  get bytes(): number {
    return this.#pages.length * BYTES_PER_PAGE;
  }

  page(slot: number): Page | undefined {
    return this.#pages[Math.floor(slot / PAGE_SIZE) - this.#first];
  }

  put(slot: number, page: Page): void {
    const number = Math.floor(slot / PAGE_SIZE);
    if (this.#pages.length === 0) this.#first = number;
    for (; number < this.#first; this.#first--) this.#pages.unshift(undefined);
    const index = number - this.#first;
    while (this.#pages.length < index) this.#pages.push(undefined);
    this.#pages[index] = page;
  }

  drop(slot: number): void {
    const pages = this.#pages;
    pages[Math.floor(slot / PAGE_SIZE) - this.#first] = undefined;
    while (pages.length > 0 && pages.at(-1) === undefined) pages.pop();
    const leading = pages.findIndex((page) => page !== undefined);
    // Trimmed rarely, since each trim moves the rest.
    if (leading > pages.length / 2) {
      pages.splice(0, leading);
      this.#first += leading;
    }
  }

  copy(epoch: number): Directory {
    return new Directory(epoch, this.#pages.slice(), this.#first, this.size);
  }
}
