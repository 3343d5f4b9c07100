import type { Mask } from '../bits.ts';
import { type Grams, gramsOf } from './grams.ts';
import type { Page } from './page.ts';

/** A filter of rows by texts, which it looks for in the signatures of pages. */
export class TextSearch {
  readonly means = 'signature';
  readonly #grams: Grams;
  #rarest: readonly number[] | undefined;

  /** @param parts folded texts, which all must occur */
  constructor(parts: readonly string[]) {
    this.#grams = gramsOf(parts);
  }

  /** Writes those of some rows that may have the texts to a mask, unless there are none. */
  narrow({ region, words, end }: Page, rows: Mask, mask: Mask): 'nothing' | 'candidates' {
    if (!region || region.words < words) mask.set(rows);
    if (!region) return 'candidates';
    const { signature, firstWord } = region;
    const isSigned = region.signed >= end;
    if (isSigned && signature.lacks(this.#grams)) return 'nothing';
    this.#rarest ??= signature.rarest(this.#grams);
    const shared = Math.min(words, region.words);
    const isEmpty = signature.narrow(this.#rarest, firstWord, shared, rows, mask);
    return isEmpty && shared === words ? 'nothing' : 'candidates';
  }
}
