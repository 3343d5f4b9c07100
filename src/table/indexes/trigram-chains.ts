import { barOf } from './terms.ts';
import { keyAt, TRIGRAM_LENGTH } from './trigrams.ts';

/** The terms there is room for, per chain. */
const TERMS_PER_CHAIN = 4;

/** Numbers per block: 64 bytes, which the processor reads at once. */
const BLOCK = 16;
/** The first number of a block is the block before it, from 1; the others are entries. */
const ENTRIES = BLOCK - 1;
/** Blocks are allocated in chunks, so that none is ever copied. */
const CHUNK_BITS = 6;
const BLOCKS_PER_CHUNK = 1 << CHUNK_BITS;
const CHUNK = BLOCKS_PER_CHUNK * BLOCK;

/**
 * For each trigram, the terms that contain it, in chains of blocks. Trigrams whose keys end in the
 * same bits share a chain. An entry is a term and a signature of it, which tells most terms apart
 * that do not contain all trigrams of a part. A seam is only in the chain of the trigram around its
 * bar, which every part of it has.
 */
export class TrigramChains {
  /** The newest block of each chain, from 1; 0 for an empty chain. */
  readonly #newest: Int32Array;
  /** The number of entries of each chain. */
  readonly #counts: Uint32Array;
  readonly #chunks: Int32Array[] = [];
  #blockCount = 0;

  /** @param terms the number of terms there is room for, a power of two */
  constructor(terms: number) {
    const chains = terms / TERMS_PER_CHAIN;
    this.#newest = new Int32Array(chains);
    this.#counts = new Uint32Array(chains);
  }

  /** Memory held, in bytes. */
  get bytes(): number {
    const { byteLength } = this.#newest;
    return byteLength + this.#counts.byteLength + this.#chunks.length * CHUNK * 4;
  }

  /** Returns the number of terms to look at for those that contain a part. */
  count(units: Uint16Array): number {
    return this.#counts[this.#rarest(units)] ?? 0;
  }

  /** Returns terms, ascending: all that contain a part, and few others. */
  terms(units: Uint16Array): number[] {
    const wanted = signatureOf(units, 0, units.length);
    const chain = this.#rarest(units);
    const terms: number[] = [];
    let at = lastBlockLength(this.#counts[chain] ?? 0);
    for (let block = this.#newest[chain] ?? 0; block > 0; ) {
      const numbers = this.#chunkOf(block);
      const start = startOf(block);
      for (; at > 0; at--) {
        const entry = numbers[start + at] ?? 0;
        if ((entry & wanted) === wanted) terms.push(entry >>> 16);
      }
      block = numbers[start] ?? 0;
      at = ENTRIES;
    }
    return terms.reverse();
  }

  /** Adds a term, which is the greatest so far. */
  add(units: Uint16Array, start: number, end: number, term: number): void {
    const entry = (term << 16) | signatureOf(units, start, end);
    const bar = barOf(units, start, end);
    if (bar >= 0) {
      this.#addTo(this.#chainAt(units, bar - 1), entry);
      return;
    }
    for (let at = start; at <= end - TRIGRAM_LENGTH; at++) {
      this.#addTo(this.#chainAt(units, at), entry);
    }
  }

  /** Adds an entry to a chain, unless it is the newest one there. */
  #addTo(chain: number, entry: number): void {
    const count = this.#counts[chain] ?? 0;
    const newest = this.#newest[chain] ?? 0;
    const used = lastBlockLength(count);
    if (count > 0 && this.#chunkOf(newest)[startOf(newest) + used] === entry) return;
    const isFull = count === 0 || used === ENTRIES;
    const block = isFull ? this.#addBlock(newest) : newest;
    this.#chunkOf(block)[startOf(block) + (isFull ? 1 : used + 1)] = entry;
    this.#newest[chain] = block;
    this.#counts[chain] = count + 1;
  }

  #addBlock(before: number): number {
    const block = ++this.#blockCount;
    if (block > this.#chunks.length * BLOCKS_PER_CHUNK) this.#chunks.push(new Int32Array(CHUNK));
    this.#chunkOf(block)[startOf(block)] = before;
    return block;
  }

  #chunkOf(block: number): Int32Array {
    return this.#chunks[(block - 1) >>> CHUNK_BITS] ?? NO_NUMBERS;
  }

  /** Returns the shortest chain with all terms that contain a part. */
  #rarest(units: Uint16Array): number {
    const bar = barOf(units, 0, units.length);
    if (bar >= 0) return this.#chainAt(units, bar - 1);
    let rarest = this.#chainAt(units, 0);
    for (let at = 1; at <= units.length - TRIGRAM_LENGTH; at++) {
      const chain = this.#chainAt(units, at);
      if ((this.#counts[chain] ?? 0) < (this.#counts[rarest] ?? 0)) rarest = chain;
    }
    return rarest;
  }

  #chainAt(units: Uint16Array, at: number): number {
    return keyAt(units, at) & (this.#newest.length - 1);
  }
}

const NO_NUMBERS = new Int32Array();

/** Returns where a block starts in its chunk. */
function startOf(block: number): number {
  return ((block - 1) & (BLOCKS_PER_CHUNK - 1)) * BLOCK;
}

/** Returns the number of entries in the newest block of a chain. */
function lastBlockLength(count: number): number {
  return count % ENTRIES || ENTRIES;
}

/** Returns one of 16 bits for each trigram: a term has all bits of the parts that it contains. */
function signatureOf(units: Uint16Array, start: number, end: number): number {
  let bits = 0;
  for (let at = start; at <= end - TRIGRAM_LENGTH; at++) bits |= 1 << (keyAt(units, at) >>> 12);
  return bits;
}
