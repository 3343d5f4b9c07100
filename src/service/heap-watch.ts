import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics } from 'node:v8';

/**
 * Calls back after each full collection that leaves more of the heap in use than a limit. What is in use
 * is measured, so it includes what is not counted, such as lists that were replaced, and earlier states
 * that requests still read. Forces no collection.
 */
export function watchHeap(maxBytes: number, onNearlyFull: () => void): void {
  const observer = new PerformanceObserver((list) => {
    if (list.getEntries().some(isFullCollection) && oldBytes() > maxBytes) onNearlyFull();
  });
  observer.observe({ entryTypes: ['gc'] });
}

/** Whether an entry is of a full collection. The types of Node lack its `detail`. */
function isFullCollection({ detail }: PerformanceEntry & { readonly detail?: unknown }): boolean {
  return Object(detail).kind === constants.NODE_PERFORMANCE_GC_MAJOR;
}

/** The bytes of objects that have survived young collections. */
function oldBytes(): number {
  let bytes = 0;
  for (const { space_name: name, space_used_size: used } of getHeapSpaceStatistics()) {
    if (!name.startsWith('new_')) bytes += used;
  }
  return bytes;
}
