import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { PERMIT_BYTES, PLACE_BYTES } from '../lib/http/index.ts';

const MIB = 1024 * 1024;

/** The heap that the program needs without data. */
const PROGRAM_BYTES = 16 * MIB;

/** The memory of a connection besides its header fields: the target, and the objects of Node. */
const CONNECTION_BYTES = 16 * 1024;

const MIN_CONNECTIONS = 256;
/** Each connection is a file descriptor; most systems allow a process more than this. */
const MAX_CONNECTIONS = 10_000;

/** Event streams do not end, so they leave some of the connections for other requests. */
export function maxStreamsOf(maxConnections: number): number {
  return Math.floor((3 / 4) * maxConnections);
}

/** The share in use from which the heap counts as nearly full. `largestMaxBytes` may raise it to the other. */
const FULL = 0.7;
const MOST_FULL = 0.85;

/**
 * Sets the limit of each use of the heap. They add up to more than the heap, because not all are
 * reached at once; when it is nearly full, requests end.
 */
export function memoryPlan(heapBytes: number) {
  // At least a quarter, for heaps of which the program takes most.
  const available = Math.max(heapBytes - PROGRAM_BYTES, heapBytes / 4);
  return {
    /** Items, with the case foldings of their texts. Half as much more is for a bulk write. */
    maxBytes: Math.floor(available * 0.4),
    /** What is long, with half a mebibyte each, and requests that wait, with 4 KiB each. */
    permits: Math.max(1, Math.floor(available / 5 / PERMIT_BYTES)),
    places: Math.floor(available / 8 / PLACE_BYTES),
    /** Connections, by the most that one may hold: a header section that does not end. */
    maxConnections: (maxHeaderBytes: number) => {
      const connections = Math.floor(available / 3 / (maxHeaderBytes + CONNECTION_BYTES));
      return Math.min(MAX_CONNECTIONS, Math.max(MIN_CONNECTIONS, connections));
    },
    /** The JSON of the faults of all lists. */
    maxFaultBytes: Math.floor(available / 16),
    /** Cached JSON texts of items. */
    cacheBytes: Math.min(64 * MIB, Math.floor(available / 32)),
    /** Past events, for clients that resume. */
    historyBytes: Math.min(16 * MIB, Math.floor(available / 32)),
    /** The longest content of a reset; parsed, it takes up to 22 times as much. */
    maxSeedBytes: Math.min(MIB, Math.floor(available / 32)),
  } as const;
}

/**
 * The bytes in use after a full collection from which the heap counts as nearly full (operations.md:
 * "Memory"). Items, with those of a write to several, never reach it by themselves.
 */
export function nearlyFullBytes(heapBytes: number, maxBytes: number): number {
  return Math.max(FULL * heapBytes, PROGRAM_BYTES + 1.5 * maxBytes);
}

/** The largest `MAX_BYTES` for which {@link nearlyFullBytes} leaves room for requests. */
export function largestMaxBytes(heapBytes: number): number {
  return Math.floor((MOST_FULL * heapBytes - PROGRAM_BYTES) / 1.5);
}

/** The last value of a flag of V8 that is a number of mebibytes, in bytes. Undefined without one. */
function flagBytes(flags: string, name: string): number | undefined {
  const pattern = new RegExp(`--${name.replaceAll('-', '[-_]')}[= ](\\d+)`, 'g');
  const [, mebibytes = 0] = [...flags.matchAll(pattern)].at(-1) ?? [];
  return Number(mebibytes) > 0 ? MIB * Number(mebibytes) : undefined;
}

/**
 * The part of a heap limit that long-lived objects may take (docs/operations.md: "Memory"). The rest
 * is for new objects: three semi-spaces. Unless a flag sets their size, they take less than 3/64 of
 * the memory, and at most 96 MiB.
 *
 * @param flags Node's, such as `--max-old-space-size=64`, which is this part
 */
export function longLivedBytes(heapLimit: number, memoryBytes: number, flags = ''): number {
  const oldSpace = flagBytes(flags, 'max-old-space-size');
  if (oldSpace !== undefined) return Math.min(oldSpace, heapLimit);
  const semiSpace = flagBytes(flags, 'max-semi-space-size');
  // V8 rounds it up to a power of two.
  if (semiSpace !== undefined) return heapLimit - 3 * 2 ** Math.ceil(Math.log2(semiSpace));
  const newBytes = Math.min(96 * MIB, (memoryBytes * 3) / 64);
  return Math.max(heapLimit - newBytes, heapLimit * 0.4);
}

/** The memory that this process may use, in bytes: the machine's, or its container's. */
const USABLE_BYTES = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);

/** The flags of Node, of which a later one overrides an earlier one. */
const FLAGS = `${process.env.NODE_OPTIONS} ${process.execArgv.join(' ')}`;

/** The part of this process's heap that long-lived objects may take, in bytes. */
export const LONG_LIVED_BYTES = longLivedBytes(
  getHeapStatistics().heap_size_limit,
  USABLE_BYTES,
  FLAGS,
);

/** The limits of this process. */
export const HEAP_BUDGET = memoryPlan(LONG_LIVED_BYTES);
