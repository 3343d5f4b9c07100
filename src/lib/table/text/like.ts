import { hasBit, setBit, WORD_BITS, wordAt } from '../bits.ts';

/** The maximum number of bitmaps of code points to keep. Others are made whenever needed. */
const MAX_BITMAPS = 256;

/**
 * A `like` pattern (table.md: "Conditions"): an automaton, which is in state `i` if the first `i`
 * code points of the pattern match what has been read. All its states are bits of a few words, and
 * move on together (Shift-And, extended to gaps: Wu and Manber, 1992), so any pattern of a length
 * takes the same time.
 */
export class LikePattern {
  /** The current states. */
  readonly #states: Int32Array;
  /** The state in which the whole pattern matches. */
  readonly #end: number;
  /** For each code point of the pattern, the states that it leads to. */
  readonly #targets = new Map<number, number[]>();
  /** The states that any code point leads to. */
  readonly #anyTargets: Int32Array;
  /** The states that any code point leads back to, because a `%` follows. */
  readonly #loops: Int32Array;
  /** By code point, the states that it leads to, including those that any leads to. */
  readonly #bitmaps = new Map<number, Int32Array>();

  /** @param pattern one that {@link isLikePattern} accepts */
  constructor(pattern: string) {
    const anyTargets: number[] = [];
    const loops: number[] = [];
    let state = 0;
    let isEscaped = false;
    for (const character of pattern) {
      if (!isEscaped && character === '\\') {
        isEscaped = true;
        continue;
      }
      if (!isEscaped && character === '%') loops.push(state);
      else if (!isEscaped && character === '_') anyTargets.push(++state);
      else {
        const codePoint = character.codePointAt(0) ?? 0;
        const targets = this.#targets.get(codePoint) ?? [];
        targets.push(++state);
        this.#targets.set(codePoint, targets);
      }
      isEscaped = false;
    }
    const words = Math.ceil((state + 1) / WORD_BITS);
    this.#end = state;
    this.#states = new Int32Array(words);
    this.#anyTargets = withBits(new Int32Array(words), anyTargets);
    this.#loops = withBits(new Int32Array(words), loops);
  }

  /** Whether the whole text matches. */
  matches(text: string): boolean {
    const states = this.#states;
    const loops = this.#loops;
    const end = this.#end;
    // Each state but the first needs a code point.
    if (text.length < end) return false;
    const endsOpen = hasBit(loops, end);
    states.fill(0);
    states[0] = 1;
    for (let at = 0; at < text.length; ) {
      if (endsOpen && hasBit(states, end)) return true;
      const codePoint = text.codePointAt(at) ?? 0;
      at += codePoint > 0xffff ? 2 : 1;
      if (!step(states, this.#bitmapOf(codePoint), loops)) return false;
    }
    return hasBit(states, end);
  }

  #bitmapOf(codePoint: number): Int32Array {
    const kept = this.#bitmaps.get(codePoint);
    if (kept !== undefined) return kept;
    const targets = this.#targets.get(codePoint);
    if (targets === undefined) return this.#anyTargets;
    const bitmap = withBits(this.#anyTargets.slice(), targets);
    if (this.#bitmaps.size < MAX_BITMAPS) this.#bitmaps.set(codePoint, bitmap);
    return bitmap;
  }
}

/** Moves all states on, and returns whether any is left. */
function step(states: Int32Array, targets: Int32Array, loops: Int32Array): boolean {
  let carry = 0;
  let any = 0;
  for (let i = 0; i < states.length; i++) {
    const word = wordAt(states, i);
    const next = (((word << 1) | carry) & wordAt(targets, i)) | (word & wordAt(loops, i));
    carry = word >>> (WORD_BITS - 1);
    states[i] = next;
    any |= next;
  }
  return any !== 0;
}

function withBits(words: Int32Array, bits: readonly number[]): Int32Array {
  for (const bit of bits) setBit(words, bit);
  return words;
}

/** Lists the literals of a pattern, between its wildcards. Every matching text contains them. */
export function* literalsOf(pattern: string): Generator<string, void> {
  for (const [literal] of pattern.matchAll(/(?:[^%_\\]|\\.)+/gs)) {
    yield literal.replace(/\\(.)/gs, '$1');
  }
}

/** Whether a pattern is valid, which means that it does not end in a lone backslash. */
export function isLikePattern(pattern: string): boolean {
  return /^(?:[^\\]|\\.)*$/s.test(pattern);
}
