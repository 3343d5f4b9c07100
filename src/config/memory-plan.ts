const MIB = 1024 * 1024;

/** The heap that the program itself needs, before there is any data. */
const PROGRAM_BYTES = 16 * MIB;

/**
 * The largest young generation by default: three semispaces, of 16 MiB each in Node 20 and of
 * 32 MiB in Node 26. In between, the larger one is assumed.
 */
const YOUNG_BYTES = 3 * (process.versions.v8.startsWith('11.') ? 16 : 32) * MIB;

/** How a heap is divided, in bytes. */
export interface MemoryPlan {
  /** Items with their indexes, and former items that snapshots still hold. */
  readonly maxBytes: number;
  /** What clients make the server hold: see `HeldMemory`. */
  readonly maxHeldBytes: number;
  /** Cached JSON texts of items. */
  readonly cacheBytes: number;
  /** Past events, for clients that resume. */
  readonly historyBytes: number;
}

/**
 * Divides a heap so that a small container reports a full store before it runs out of memory: half
 * for items, a fifth for clients. The rest is for what is not counted: garbage not yet collected,
 * and fragmentation.
 * @param heapBytes the limit of the old generation
 */
export function memoryPlan(heapBytes: number): MemoryPlan {
  const available = Math.max(heapBytes - PROGRAM_BYTES, heapBytes / 4);
  return {
    maxBytes: Math.floor(available / 2),
    maxHeldBytes: Math.floor(available / 5),
    cacheBytes: Math.min(64 * MIB, Math.floor(available / 32)),
    historyBytes: Math.min(16 * MIB, Math.floor(available / 32)),
  };
}

/**
 * The limit of the old generation, which holds what is kept: V8 does not tell it, and counts the
 * young generation, which is garbage for the most part, into the heap limit. On a small heap, that
 * would be more than half of it.
 * @param heapLimit the heap limit that V8 tells
 */
export function oldGenerationBytes(heapLimit: number): number {
  return Math.max(heapLimit - YOUNG_BYTES, heapLimit / 4);
}
