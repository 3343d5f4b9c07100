const MIB = 1024 * 1024;

/** What the program itself takes of the heap, before there is any data. */
const PROGRAM_BYTES = 16 * MIB;

/** What a heap is used for, in bytes. */
export interface MemoryPlan {
  /** Items with their indexes, and what snapshots hold of former ones. */
  readonly maxBytes: number;
  /** What clients make the server hold: see `HeldMemory`. */
  readonly maxHeldBytes: number;
  /** Texts of items that were sent before. */
  readonly cacheBytes: number;
  /** Events that clients who were cut off can still ask for. */
  readonly historyBytes: number;
}

/**
 * Divides a heap, so that a small container is full before it is out of memory: half for items, a
 * fifth for clients. The rest is for what is not counted: garbage that is not collected yet, and
 * parts of the heap that are in use only in part.
 * @param heapBytes the limit of the heap
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
