import { type Mask, wordAt } from '../bits.ts';
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

  /** Removes the rows that cannot have the texts from a mask. Returns whether none stays. */
  narrow({ region, words, end }: Page, mask: Mask): boolean {
    if (!region) return false;
    const { signature, firstWord } = region;
    this.#moveTo(signature);
    if (this.#isNowhere && region.signed >= end && region.stale === 0) {
      mask.fill(0);
      return true;
    }
    const found = this.#foundIn(signature);
    const shared = Math.min(words, region.words);
    let any = words - shared;
    for (let w = 0; w < shared; w++) {
      const left = wordAt(mask, w) & (found[firstWord + w] ?? 0);
      mask[w] = left;
      any |= left;
    }
    return any === 0;
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
