import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';

const MIB = 1024 * 1024;

/** The heap that the program needs without data. */
const PROGRAM_BYTES = 16 * MIB;

/** Divides the space for long-lived objects, so that the store is full before the heap is. */
export function memoryPlan(heapBytes: number) {
  // The rest is for garbage, which took a quarter of a small heap under attack.
  const available = Math.max(heapBytes - PROGRAM_BYTES, heapBytes / 4);
  return {
    /** Items, with the case foldings of their texts. Half as much more is for {@link SpareMemory}. */
    maxBytes: Math.floor(available * 0.4),
    /** Contents of requests, and requests that wait. */
    maxContentBytes: Math.floor(available / 8),
    maxWaitingBytes: Math.floor(available / 8),
    /** Long results until they are sent, which are outside the heap, and unread responses. */
    maxResultBytes: Math.floor(available / 5),
    /** Connections take some 6 KiB each, event streams 12. */
    maxConnections: Math.min(10_000, Math.floor(available / (16 * 1024))),
    maxEventStreams: Math.floor(available / (80 * 1024)),
    /** Cached JSON texts of items. */
    cacheBytes: Math.min(64 * MIB, Math.floor(available / 32)),
    /** Past events, for clients that resume. */
    historyBytes: Math.min(16 * MIB, Math.floor(available / 32)),
    /** The longest content of a reset; parsed, it takes up to 22 times as much. */
    maxSeedBytes: Math.min(MIB, Math.floor(available / 32)),
  } as const;
}

const SEMI_SPACE_FLAG = /--max[-_]semi[-_]space[-_]size[= ](\d+)/g;

/**
 * The size of a semi-space, in bytes, if flags of V8 set it: the last one, rounded up to a power of
 * two, as V8 does. Undefined otherwise.
 */
export function semiSpaceBytes(flags: string): number | undefined {
  const [, mebibytes = 0] = [...flags.matchAll(SEMI_SPACE_FLAG)].at(-1) ?? [];
  const exponent = Math.ceil(Math.log2(Number(mebibytes)));
  return Number.isFinite(exponent) ? MIB * 2 ** exponent : undefined;
}

/**
 * The part of a heap limit that long-lived objects may take (docs/operations.md: "Memory"). The rest
 * is for new objects: three semi-spaces. Unless a flag sets their size, they take less than 3/64 of
 * the memory, and at most 96 MiB.
 */
export function longLivedBytes(heapLimit: number, memoryBytes: number, semiSpace?: number): number {
  if (semiSpace !== undefined) return heapLimit - 3 * semiSpace;
  const newBytes = Math.min(96 * MIB, (memoryBytes * 3) / 64);
  return Math.max(heapLimit - newBytes, heapLimit * 0.4);
}

/** The memory that this process may use, in bytes: the machine's, or its container's. */
const USABLE_BYTES = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);

/** The flags of Node, of which a later one overrides an earlier one. */
const FLAGS = `${process.env.NODE_OPTIONS} ${process.execArgv.join(' ')}`;

/** The division of this process's heap. */
export const HEAP_BUDGET = memoryPlan(
  longLivedBytes(getHeapStatistics().heap_size_limit, USABLE_BYTES, semiSpaceBytes(FLAGS)),
);
