/** The least number of cells, a power of two. */
const LEAST_CELLS = 64;

/**
 * A queue: first in, first out. Its cells are used again, unlike those of a `Set`: V8 replaces the
 * table of a `Set` that elements pass through, and a replaced table still refers to the next one and
 * to elements. Once it is in the old generation, young collections free neither (decision 10).
 */
export class Queue<T extends object> {
  /** Their number is a power of two. */
  #cells: (T | undefined)[] = cellsFor(LEAST_CELLS);
  #first = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** The first element; undefined if there is none. */
  get first(): T | undefined {
    return this.#length === 0 ? undefined : this.#cells[this.#first];
  }

  /** Adds an element at the end. */
  push(element: T): void {
    if (this.#length === this.#cells.length) this.#grow();
    this.#cells[this.#cellOf(this.#length++)] = element;
  }

  /** Removes the first element, and returns it; undefined if there is none. */
  shift(): T | undefined {
    if (this.#length === 0) return undefined;
    const element = this.#cells[this.#first];
    this.#cells[this.#first] = undefined;
    this.#first = this.#cellOf(1);
    this.#length--;
    return element;
  }

  /** The elements, from the first one on. */
  *[Symbol.iterator](): Generator<T, void> {
    for (let index = 0; index < this.#length; index++) {
      const element = this.#cells[this.#cellOf(index)];
      if (element !== undefined) yield element;
    }
  }

  /** Returns the cell of an element. @param index its index, from the first one on */
  #cellOf(index: number): number {
    return (this.#first + index) & (this.#cells.length - 1);
  }

  /** Doubles the cells, all of which are taken. */
  #grow(): void {
    const elements = [...this.#cells.slice(this.#first), ...this.#cells.slice(0, this.#first)];
    this.#cells = [...elements, ...cellsFor(elements.length)];
    this.#first = 0;
  }
}

function cellsFor(count: number): undefined[] {
  return Array.from({ length: count }, () => undefined);
}
