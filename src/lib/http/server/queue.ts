/** The least number of places, a power of two. */
const LEAST_PLACES = 64;

/**
 * A queue: first in, first out. Its places are used again, unlike those of a `Set`: V8 replaces the
 * table of a `Set` that elements pass through, and a replaced table still refers to the next one and
 * to elements. Once it is in the old generation, young collections free neither (decision 10).
 */
export class Queue<T extends object> {
  /** Their number is a power of two. */
  #places: (T | undefined)[] = placesFor(LEAST_PLACES);
  #first = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Adds an element at the end. */
  push(element: T): void {
    if (this.#length === this.#places.length) this.#grow();
    this.#places[this.#placeOf(this.#length++)] = element;
  }

  /** Removes the first element, and returns it; undefined if there is none. */
  shift(): T | undefined {
    if (this.#length === 0) return undefined;
    const element = this.#places[this.#first];
    this.#places[this.#first] = undefined;
    this.#first = this.#placeOf(1);
    this.#length--;
    return element;
  }

  /** Returns the place of an element. @param index its index, from the first one on */
  #placeOf(index: number): number {
    return (this.#first + index) & (this.#places.length - 1);
  }

  /** Doubles the places, all of which are taken. */
  #grow(): void {
    const elements = [...this.#places.slice(this.#first), ...this.#places.slice(0, this.#first)];
    this.#places = [...elements, ...placesFor(elements.length)];
    this.#first = 0;
  }
}

function placesFor(count: number): undefined[] {
  return Array.from({ length: count }, () => undefined);
}
