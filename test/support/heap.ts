/**
 * The flags of Node with which a process has the heap of a container: old and new space are as V8 makes
 * them for one of twice as much memory. The new space of a large machine would be half as large as an
 * old space of 64 MiB. Then V8 of Node 26 collects all of it over and over (operations.md: "Memory").
 */
export function heapFlags(mebibytes: number): string {
  return `--max-old-space-size=${mebibytes} --max-semi-space-size=${Math.ceil(mebibytes / 32)}`;
}
