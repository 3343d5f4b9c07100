import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

/** A mutant that has been tried. */
export interface Outcome {
  /** `src/file.ts:12` */
  readonly place: string;
  readonly before: string;
  readonly after: string;
  /** The first failure; null if no test failed. */
  readonly killedBy: string | null;
  /** How many test files cover it. */
  readonly tests: number;
}

/** A test file without a mutant. */
export interface Measured {
  /** How long it took, in milliseconds. */
  readonly ms: number;
  /** Whether it passed. If not, it is left out. */
  readonly passed: boolean;
  /** The sampled mutants whose code it runs, by their ids. */
  readonly covers: readonly string[];
}

/** The outcomes so far. The report is stored after each mutant, so that a later run continues. */
export interface Report {
  /** The version of the code, of Node, and of the sample. */
  readonly of: string;
  readonly tests: Record<string, Measured>;
  /** The number of all mutants of an area, and the outcomes in the order of the sample. */
  readonly areas: Record<string, { readonly mutants: number; readonly outcomes: Outcome[] }>;
}

/** Reads a report from a file, or starts it. */
export function openReport(file: string | undefined, fresh: Report): Report {
  if (file === undefined || !existsSync(file)) return fresh;
  const report: Report = JSON.parse(readFileSync(file, 'utf8'));
  if (report.of !== fresh.of) {
    throw new Error(`${file} is of ${report.of}, not of ${fresh.of}; remove it or name another`);
  }
  return report;
}

export function saveReport(file: string | undefined, report: Report): void {
  if (file === undefined) return;
  writeFileSync(`${file}.new`, JSON.stringify(report, null, 1));
  renameSync(`${file}.new`, file);
}

/** The report as Markdown: a table of the areas, and the survivors. */
export function asMarkdown({ of, areas, tests }: Report): string {
  const tried = Object.entries(areas).filter(([, { outcomes }]) => outcomes.length > 0);
  const left = Object.keys(tests).filter((file) => !tests[file]?.passed);
  const lines = [
    `${of}.`,
    ...(left.length > 0
      ? ['', `Left out, because they fail in the copy: ${left.join(', ')}.`]
      : []),
    '',
    '| area | killed | tried | of | by the limit of time |',
    '|---|---|---|---|---|',
    ...tried.map(([name, { mutants, outcomes }]) => {
      const killed = outcomes.filter(({ killedBy }) => killedBy !== null).length;
      const byLimit = outcomes.filter(({ killedBy }) => killedBy === 'limit of time').length;
      const share = Math.round((100 * killed) / outcomes.length);
      return `| ${name} | ${share} % | ${outcomes.length} | ${mutants} | ${byLimit} |`;
    }),
  ];
  for (const [name, { outcomes }] of tried) {
    const survivors = outcomes.filter(({ killedBy }) => killedBy === null);
    if (survivors.length > 0) lines.push('', `## Survivors: ${name}`, '');
    for (const { place, before, after, tests } of survivors) {
      lines.push(
        `- ${place}${tests === 0 ? ', covered by no test' : ''}`,
        `  - \`${before}\``,
        `  - \`${after}\``,
      );
    }
  }
  return `${lines.join('\n')}\n`;
}
