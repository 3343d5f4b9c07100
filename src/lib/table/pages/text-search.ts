import type { Mask } from '../bits.ts';
import { type Grams, gramsOf } from './grams.ts';
import type { Page } from './page.ts';
import type { Signature } from './signature.ts';

/** A filter of rows by texts, which it looks for in the signatures of pages. */
export class TextSearch {
  readonly means = 'signature';
  readonly #grams: Grams;
  #rarest: readonly number[] | undefined;
  /** The signature of the last page, which the next one may have too, and what it says. */
  #signature: Signature | undefined;
  #changes = 0;
  #isNowhere = false;
  #slices: readonly number[] | undefined;

  /** @param parts folded texts, which all must occur */
  constructor(parts: readonly string[]) {
    this.#grams = gramsOf(parts);
  }

  /** Writes those of some rows that may have the texts to a mask, unless there are none. */
  narrow({ region, words, end }: Page, rows: Mask, mask: Mask): 'nothing' | 'candidates' {
    if (!region || region.words < words) mask.set(rows);
    if (!region) return 'candidates';
    const { signature, firstWord } = region;
    this.#moveTo(signature);
    if (this.#isNowhere && region.signed >= end && region.stale === 0) return 'nothing';
    this.#rarest ??= signature.rarest(this.#grams);
    this.#slices ??= signature.slicesOf(this.#rarest);
    const shared = Math.min(words, region.words);
    const isEmpty = signature.narrow(this.#slices, firstWord, shared, rows, mask);
    return isEmpty && shared === words ? 'nothing' : 'candidates';
  }

  #moveTo(signature: Signature): void {
    if (signature === this.#signature && signature.changes === this.#changes) return;
    this.#signature = signature;
    this.#changes = signature.changes;
    this.#isNowhere = signature.lacks(this.#grams);
    this.#slices = undefined;
  }
}
