import type { Mask } from '../bits.ts';
import { type Grams, gramsOf } from './grams.ts';
import type { Page } from './page.ts';
import { MAX_SLICE_WORDS, type Signature } from './signature.ts';

/** A search for texts in the signatures of pages. */
export class TextSearch {
  /** The maximum of what it holds, in bytes. */
  static readonly MAX_BYTES = MAX_SLICE_WORDS * 4;
  readonly #grams: Grams;
  #rarest: readonly number[] | undefined;
  /** The signature of the last page, which the next one may have too, and what was found in it. */
  #signature: Signature | undefined;
  #changes = 0;
  #found: Mask = new Int32Array();

  /** @param parts folded texts, which all must occur */
  constructor(parts: readonly string[]) {
    this.#grams = gramsOf(parts);
  }

  /** Whether no row of a page can have the texts. */
  excludes(page: Page): boolean {
    const { region, words } = page;
    if (!region || region.signed < page.end) return false;
    const found = this.#foundIn(region.signature);
    const end = region.firstWord + words;
    for (let w = region.firstWord; w < end; w++) if (found[w] !== 0) return false;
    return true;
  }

  /** Removes the positions of rows that cannot have the texts from the mask of a page. */
  narrow({ region, words }: Page, mask: Mask): void {
    if (!region) return;
    const found = this.#foundIn(region.signature);
    const { firstWord } = region;
    const end = Math.min(words, region.words, found.length - firstWord);
    for (let w = 0; w < end; w++) mask[w] = (mask[w] ?? 0) & (found[firstWord + w] ?? 0);
  }

  #foundIn(signature: Signature): Mask {
    const isCurrent = signature === this.#signature && signature.changes === this.#changes;
    if (isCurrent) return this.#found;
    this.#rarest ??= signature.rarest(this.#grams);
    this.#found = signature.candidates(this.#grams, this.#rarest);
    this.#signature = signature;
    this.#changes = signature.changes;
    return this.#found;
  }
}
