import { type Mask, WORD_BITS } from '../bits.ts';
import { type Grams, gramsOf } from './grams.ts';
import type { Page } from './page.ts';
import type { Signature } from './signature.ts';
import { MAX_SLICE_WORDS } from './slices.ts';

/** A filter of rows by texts, which it looks for in the signatures of pages. */
export class TextSearch {
  /** The maximum of what it holds, in bytes. */
  static readonly MAX_BYTES = MAX_SLICE_WORDS * 8;
  readonly means = 'signature';
  readonly #grams: Grams;
  #rarest: readonly number[] | undefined;
  /** The signature of the last page, which the next one may have too, and what was found in it. */
  #signature: Signature | undefined;
  #changes = 0;
  #isNowhere = false;
  #hasCandidates = false;
  #found: number[] = [];

  /** @param parts folded texts, which all must occur */
  constructor(parts: readonly string[]) {
    this.#grams = gramsOf(parts);
  }

  /** Whether no row of a page can have the texts. */
  excludes({ region, end }: Page): boolean {
    if (!region || region.signed < end || region.isStale) return false;
    const { signature, firstWord } = region;
    this.#moveTo(signature);
    if (this.#isNowhere) return true;
    const found = this.#foundIn(signature);
    for (let w = 0; w < end / WORD_BITS; w++) if (found[firstWord + w] !== 0) return false;
    return true;
  }

  /** Removes the rows that cannot have the texts from a mask; those that stay must be tested. */
  narrow({ region, words }: Page, mask: Mask): false {
    if (!region) return false;
    const { signature, firstWord } = region;
    this.#moveTo(signature);
    const found = this.#foundIn(signature);
    const end = Math.min(words, region.words);
    for (let w = 0; w < end; w++) mask[w] = (mask[w] ?? 0) & (found[firstWord + w] ?? 0);
    return false;
  }

  #moveTo(signature: Signature): void {
    if (signature === this.#signature && signature.changes === this.#changes) return;
    this.#signature = signature;
    this.#changes = signature.changes;
    this.#isNowhere = signature.lacks(this.#grams);
    this.#hasCandidates = false;
  }

  #foundIn(signature: Signature): readonly number[] {
    if (this.#hasCandidates) return this.#found;
    this.#rarest ??= signature.rarest(this.#grams);
    signature.writeCandidates(this.#rarest, this.#found);
    this.#hasCandidates = true;
    return this.#found;
  }
}
