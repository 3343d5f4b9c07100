const BITS = 32;

/** The most bitmaps of code points to keep. The others are made whenever they are needed. */
const MAX_BITMAPS = 256;

/**
 * The automaton of a `like` pattern. It is in state `i` if the first `i` code points of the pattern
 * match what has been read; it may be in many states at once. All of them are the bits of a few
 * words, and move on together (the Shift-And algorithm as extended to gaps: Wu and Manber, Fast
 * text searching allowing errors, 1992). So a text takes the same time for any pattern of a length:
 * a step for each code point and 32 states.
 */
export class LikeAutomaton {
  #length = 0;
  /** For each code point of the pattern, the states that it leads to. */
  readonly #targets = new Map<number, number[]>();
  /** The states that any code point leads to. */
  readonly #anyTargets: number[] = [];
  /** The states that any code point leads back to, because a `%` follows. */
  readonly #loops: number[] = [];
  #compiled: Compiled | undefined;

  /** Appends a code point. */
  add(codePoint: number): void {
    const targets = this.#targets.get(codePoint) ?? [];
    targets.push(++this.#length);
    this.#targets.set(codePoint, targets);
  }

  /** Appends a wildcard for one code point. */
  addAnyCodePoint(): void {
    this.#anyTargets.push(++this.#length);
  }

  /** Appends a wildcard for any text. */
  addAnyText(): void {
    this.#loops.push(this.#length);
  }

  /** Whether the whole text matches. Nothing may be appended any more. */
  matches(text: string): boolean {
    this.#compiled ??= this.#compile();
    const { states, loops, end } = this.#compiled;
    states.fill(0);
    states[0] = 1;
    const endsOpen = hasBit(loops, end);
    for (let at = 0; at < text.length; ) {
      if (endsOpen && hasBit(states, end)) return true;
      const codePoint = text.codePointAt(at) ?? 0;
      at += codePoint > 0xffff ? 2 : 1;
      if (!step(states, this.#bitmapOf(codePoint, this.#compiled), loops)) return false;
    }
    return hasBit(states, end);
  }

  #compile(): Compiled {
    const words = Math.ceil((this.#length + 1) / BITS);
    const anyTargets = withBits(new Int32Array(words), this.#anyTargets);
    const loops = withBits(new Int32Array(words), this.#loops);
    const states = new Int32Array(words);
    return { states, anyTargets, loops, end: this.#length, bitmaps: new Map() };
  }

  /** Returns the states that a code point leads to. */
  #bitmapOf(codePoint: number, { anyTargets, bitmaps }: Compiled): Int32Array {
    const kept = bitmaps.get(codePoint);
    if (kept !== undefined) return kept;
    const targets = this.#targets.get(codePoint);
    if (targets === undefined) return anyTargets;
    const bitmap = withBits(anyTargets.slice(), targets);
    if (bitmaps.size < MAX_BITMAPS) bitmaps.set(codePoint, bitmap);
    return bitmap;
  }
}

/** A finished automaton. */
interface Compiled {
  /** The current states. */
  readonly states: Int32Array;
  readonly anyTargets: Int32Array;
  readonly loops: Int32Array;
  /** The state in which the whole pattern matches. */
  readonly end: number;
  /** By code point. */
  readonly bitmaps: Map<number, Int32Array>;
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
