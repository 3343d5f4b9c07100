import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A part of a source file, in UTF-16 units, and how often it ran. */
interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

/** A file that Node writes at the end of a process with NODE_V8_COVERAGE. */
interface ProcessCoverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly { readonly ranges: readonly Range[] }[];
  }[];
}

/**
 * Reads the coverage in a folder, and returns whether a position of a file has run. Node blanks
 * types out, so positions in the source are positions in the code that runs.
 */
export function readCoverage(
  folder: string,
  root: string,
): (file: string, position: number) => boolean {
  const processes = readdirSync(folder).map((name) => {
    const coverage: ProcessCoverage = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    return new Map(
      coverage.result.map(({ url, functions }) => [url, functions.flatMap(({ ranges }) => ranges)]),
    );
  });
  return (file, position) => {
    const { href } = pathToFileURL(join(root, file));
    return processes.some((ranges) => countAt(position, ranges.get(href) ?? []) > 0);
  };
}

/** The count of the innermost range at a position. */
function countAt(position: number, ranges: readonly Range[]): number {
  let [count, width] = [0, Number.POSITIVE_INFINITY];
  for (const { startOffset, endOffset, count: own } of ranges) {
    if (startOffset <= position && position < endOffset && endOffset - startOffset < width) {
      [count, width] = [own, endOffset - startOffset];
    }
  }
  return count;
}
