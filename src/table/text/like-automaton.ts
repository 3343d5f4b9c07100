const BITS = 32;

/** The most bitmaps of code points to keep. The others are made whenever they are needed. */
const MAX_BITMAPS = 256;

/** Stands for `%` among the code points of a pattern: any text. */
export const ANY_TEXT = -1;
/** Stands for `_`: any code point. */
export const ANY_CODE_POINT = -2;

/**
 * The automaton of a `like` pattern. It is in state `i` if the first `i` code points of the pattern
 * match what has been read; it may be in many states at once. All of them are the bits of a few
 * words, and move on together (the Shift-And algorithm as extended to gaps: Wu and Manber, Fast
 * text searching allowing errors, 1992). So a text takes the same time for any pattern of a length:
 * a step for each code point and 32 states.
 */
export class LikeAutomaton {
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

  /** @param pattern code points, `ANY_TEXT` and `ANY_CODE_POINT` */
  constructor(pattern: readonly number[]) {
    const anyTargets: number[] = [];
    const loops: number[] = [];
    let state = 0;
    for (const token of pattern) {
      if (token === ANY_TEXT) loops.push(state);
      else if (token === ANY_CODE_POINT) anyTargets.push(++state);
      else {
        const targets = this.#targets.get(token) ?? [];
        targets.push(++state);
        this.#targets.set(token, targets);
      }
    }
    const words = Math.ceil((state + 1) / BITS);
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

/**
 * Moves all states on.
 *
 * @returns whether any state is left
 */
function step(states: Int32Array, targets: Int32Array, loops: Int32Array): boolean {
  let carry = 0;
  let any = 0;
  for (let i = 0; i < states.length; i++) {
    const word = states[i] ?? 0;
    const next = (((word << 1) | carry) & (targets[i] ?? 0)) | (word & (loops[i] ?? 0));
    carry = word >>> (BITS - 1);
    states[i] = next;
    any |= next;
  }
  return any !== 0;
}

function withBits(words: Int32Array, bits: readonly number[]): Int32Array {
  for (const bit of bits) {
    const at = Math.floor(bit / BITS);
    words[at] = (words[at] ?? 0) | (1 << (bit % BITS));
  }
  return words;
}

function hasBit(words: Int32Array, bit: number): boolean {
  return (((words[Math.floor(bit / BITS)] ?? 0) >>> (bit % BITS)) & 1) === 1;
}
