import { foldedIfAscii } from '../text/case-folding.ts';
import type { Dictionary } from './dictionary.ts';
import { Inverter } from './inverter.ts';
import { Segment } from './segment.ts';
import { TermReader } from './terms.ts';
import { keyAt, TRIGRAM_LENGTH } from './trigrams.ts';

/** UTF-16 units of text per step: some ten microseconds of work. */
const UNITS_PER_STEP = 2048;
/** The fixed cost of a row, in UTF-16 units. */
const UNITS_PER_ROW = 16;

/** Texts to index, in ascending order of slot. */
export interface Batch {
  /** The sequence number of the segment. */
  readonly generation: number;
  readonly slots: readonly number[];
  /** Folded unless they are ASCII. */
  readonly texts: readonly string[];
}

/** Builds segments, one at a time. It reuses its arrays, which are large. */
export class SegmentBuilder {
  readonly #reader = new TermReader();
  readonly #terms = new Inverter();
  readonly #trigrams = new Inverter();

  /**
   * Builds a segment, and adds new terms to the dictionary. The caller may pause after each step,
   * or abandon the build together with the builder.
   */
  *build({ generation, slots, texts }: Batch, dictionary: Dictionary): Generator<void, Segment> {
    let units = 0;
    for (const [row, text] of texts.entries()) {
      this.#add(foldedIfAscii(text) ?? text, row, dictionary);
      if (dictionary.isCrowded) yield* dictionary.grow();
      units += text.length + UNITS_PER_ROW;
      if (units < UNITS_PER_STEP) continue;
      units = 0;
      yield;
    }
    return new Segment({
      generation,
      slots: new Float64Array(slots),
      terms: yield* this.#terms.lists(texts.length),
      trigrams: yield* this.#trigrams.lists(texts.length),
    });
  }

  #add(text: string, row: number, dictionary: Dictionary): void {
    const reader = this.#reader;
    reader.read(text, true);
    while (reader.next()) {
      const term = dictionary.add(reader);
      if (term !== undefined) this.#terms.add(term, row);
      else this.#addTrigrams(row);
    }
  }

  #addTrigrams(row: number): void {
    const { units, length } = this.#reader;
    for (let at = 0; at <= length - TRIGRAM_LENGTH; at++) this.#trigrams.add(keyAt(units, at), row);
  }
}
