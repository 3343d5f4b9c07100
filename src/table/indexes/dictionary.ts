import { hashOf, type Part, type Term } from './terms.ts';
import { TrigramChains } from './trigram-chains.ts';

/** The maximum number of terms: their numbers have 16 bits, and 0 stands for none in a place. */
const MAX_TERMS = 0xffff;
/** The maximum length of a term in UTF-16 units. */
const MAX_TERM_LENGTH = 24;
/** The maximum length of all terms together, which bounds a dictionary to some 5 MB. */
const MAX_UNITS = 0x80000;

const FIRST_TERMS = 256;
/** The share of the room for terms from which on it should grow, before terms crowd each other. */
const CROWDED = 0.75;
/** Terms per step of growth: some ten microseconds of work. */
const TERMS_PER_STEP = 64;
/** The places of the hash table for each term that there is room for. */
const PLACES_PER_TERM = 2;
/** The places to look at for a term. This bounds the time, whatever the terms are. */
const MAX_PROBES = 16;

/**
 * The vocabulary of a column: numbers distinct terms, in order of first occurrence, and finds those
 * that contain a part, by a k-gram index (Manning, Raghavan and Schütze, Introduction to
 * Information Retrieval, 3.2.2). It has room for a bounded number of terms, and does without those
 * that come later.
 */
export class Dictionary {
  #size = 0;
  #capacity = FIRST_TERMS;
  /** Whether it may still grow. Once it could not, it never will. */
  #canGrow = true;
  /** The terms, one after the other. */
  #units = new Uint16Array(8 * FIRST_TERMS);
  /** The start of each term in `#units`, and finally the end of the last one. */
  #starts = new Uint32Array(FIRST_TERMS + 1);
  /** The number of rows of each term, in all segments. */
  #rows = new Int32Array(FIRST_TERMS);
  /** A hash table with linear probing: the numbers of terms, from 1; 0 for an empty place. */
  #places = newPlaces(FIRST_TERMS);
  #trigrams = new TrigramChains(FIRST_TERMS);

  /** Memory held, in bytes. */
  get bytes(): number {
    const { byteLength } = this.#units;
    const perTerm = this.#starts.byteLength + this.#rows.byteLength;
    return byteLength + perTerm + this.#places.byteLength + this.#trigrams.bytes;
  }

  /** The number of terms that there is room for. */
  get room(): number {
    return MAX_TERMS - this.#size;
  }

  /**
   * Returns the number of a term, which is added if it is new; undefined if there is no room. If
   * there was none once, there never will be.
   */
  add(term: Term): number | undefined {
    const place = this.#placeOf(term);
    const number = this.#places[place] ?? 0;
    if (number > 0) return number - 1;
    if (!this.#hasRoomFor(term)) return undefined;
    if (place >= 0 && this.#size < this.#capacity) return this.#addAt(place, term);
    for (const _ of this.grow());
    return this.#canGrow ? this.add(term) : undefined;
  }

  /** Whether it should grow before more terms are added. */
  get isCrowded(): boolean {
    return this.#canGrow && this.#size > CROWDED * this.#capacity;
  }

  /** Makes room for twice as many terms, if possible. No term may be added meanwhile. */
  *grow(): Generator<void> {
    const capacity = 2 * this.#capacity;
    this.#canGrow &&= capacity <= MAX_TERMS + 1;
    if (!this.#canGrow) return;
    const places = newPlaces(capacity);
    const trigrams = new TrigramChains(capacity);
    for (let number = 0; number < this.#size; number++) {
      const [start, end] = [this.#start(number), this.#start(number + 1)];
      const home = homeOf(hashOf(this.#units, start, end), capacity);
      const place = places.indexOf(0, home);
      this.#canGrow = place >= home && place < home + MAX_PROBES;
      if (!this.#canGrow) return;
      places[place] = number + 1;
      trigrams.add(this.#units, start, end, number);
      if (number % TERMS_PER_STEP === TERMS_PER_STEP - 1) yield;
    }
    this.#capacity = capacity;
    this.#places = places;
    this.#trigrams = trigrams;
    this.#starts = copied(this.#starts, new Uint32Array(capacity + 1));
    this.#rows = copied(this.#rows, new Int32Array(capacity));
  }

  /** Returns the number of terms to look at to find those that contain a part. */
  cost(part: Part): number {
    return part.isWhole ? 1 : this.#trigrams.count(part.units);
  }

  /** Returns the terms that contain a part, ascending. */
  containing(part: Part): readonly number[] {
    if (part.isWhole) {
      const number = this.#places[this.#placeOf(part)] ?? 0;
      return number === 0 ? [] : [number - 1];
    }
    return this.#trigrams.terms(part.units).filter((term) => this.#contains(term, part));
  }

  /** Returns the number of rows of a term in all segments, nearly. */
  rows(term: number): number {
    return Math.max(0, this.#rows[term] ?? 0);
  }

  /** Adds to the number of rows of a term. */
  addRows(term: number, rows: number): void {
    this.#rows[term] = (this.#rows[term] ?? 0) + rows;
  }

  #hasRoomFor({ length }: Term): boolean {
    if (length > MAX_TERM_LENGTH || this.#size === MAX_TERMS) return false;
    return this.#start(this.#size) + length <= MAX_UNITS;
  }

  #addAt(place: number, term: Term): number {
    const number = this.#size++;
    const start = this.#start(number);
    const end = start + term.length;
    if (end > this.#units.length) this.#units = copied(this.#units, new Uint16Array(1.5 * end));
    for (let i = 0; i < term.length; i++) this.#units[start + i] = term.units[i] ?? 0;
    this.#starts[number + 1] = end;
    this.#places[place] = number + 1;
    this.#trigrams.add(this.#units, start, end, number);
    return number;
  }

  #start(number: number): number {
    return this.#starts[number] ?? 0;
  }

  /** Returns the place of a term, or the first empty one; -1 if it has no place. */
  #placeOf(term: Term): number {
    const places = this.#places;
    const home = homeOf(term.hash, this.#capacity);
    for (let place = home; place < home + MAX_PROBES; place++) {
      const number = places[place] ?? 0;
      if (number === 0 || this.#is(number - 1, term)) return place;
    }
    return -1;
  }

  /** Whether a term of the dictionary equals another. */
  #is(number: number, { units, length }: Term): boolean {
    const start = this.#start(number);
    return this.#start(number + 1) - start === length && this.#hasAt(start, units, length);
  }

  /** Whether a term contains another. */
  #contains(number: number, { units, length }: Term): boolean {
    const first = units[0] ?? 0;
    const last = this.#start(number + 1) - length;
    for (let at = this.#start(number); at <= last; at++) {
      if (this.#units[at] === first && this.#hasAt(at, units, length)) return true;
    }
    return false;
  }

  #hasAt(at: number, units: Uint16Array, length: number): boolean {
    for (let i = 0; i < length; i++) if (this.#units[at + i] !== units[i]) return false;
    return true;
  }
}

/** Returns an empty hash table. Places after the last home spare us going round. */
function newPlaces(capacity: number): Uint16Array {
  return new Uint16Array(PLACES_PER_TERM * capacity + MAX_PROBES);
}

/** Returns the first place to look at for a term. */
function homeOf(hash: number, capacity: number): number {
  return hash & (PLACES_PER_TERM * capacity - 1);
}

/** Copies numbers into a longer array. */
function copied<T extends Uint16Array | Uint32Array | Int32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
