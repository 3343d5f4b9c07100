import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';

const MIB = 1024 * 1024;

/** The heap that the program needs without data. */
const PROGRAM_BYTES = 16 * MIB;

/** The largest semispace: 16 MiB up to V8 11 (Node 20), 32 MiB later. */
const MAX_SEMISPACE_BYTES = (process.versions.v8.startsWith('11.') ? 16 : 32) * MIB;

/** Divides the old generation, so that the store is full before the heap is. */
export function memoryPlan(heapBytes: number) {
  // The rest is for garbage, which took a quarter of a small heap under attack.
  const available = Math.max(heapBytes - PROGRAM_BYTES, heapBytes / 4);
  return {
    /** Items with their indexes, and previous versions of items that snapshots hold. */
    maxBytes: Math.floor(available * 0.4),
    /** Memory that clients take, as `ClientMemory` counts it. */
    maxClientBytes: Math.floor(available / 5),
    /** Cached JSON texts of items. */
    cacheBytes: Math.min(64 * MIB, Math.floor(available / 32)),
    /** Past events, for clients that resume. */
    historyBytes: Math.min(16 * MIB, Math.floor(available / 32)),
    /** The longest content of a reset; parsed, it takes up to 22 times as much. */
    maxSeedBytes: Math.min(MIB, Math.floor(available / 32)),
  } as const;
}

/**
 * The limit of V8's old generation, in bytes. The limit of the heap includes the young generation,
 * which has three semispaces, each a 128th of the memory rounded up to a power of two, within bounds
 * (as measured).
 */
export function oldGenerationBytes(heapLimit: number, memoryBytes: number): number {
  const share = 2 ** Math.ceil(Math.log2(memoryBytes / 128));
  const semispace = Math.min(Math.max(share, 2 * MIB), MAX_SEMISPACE_BYTES);
  return Math.max(heapLimit - 3 * semispace, heapLimit / 4);
}

/** The memory that this process may use, in bytes: the machine's, or its container's. */
const USABLE_BYTES = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);

/** The division of this process's heap. */
export const HEAP_BUDGET = memoryPlan(
  oldGenerationBytes(getHeapStatistics().heap_size_limit, USABLE_BYTES),
);
