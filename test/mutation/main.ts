/*
 * Makes one small change to the code after another, and expects a test to fail each time. Prints
 * the share of each area, and the survivors: each is either an equivalent program or not covered
 * by a test. README.md explains the options.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Random } from '../support/random.ts';
import { AREAS, areaOf, stagesOf, WITHOUT_COVERAGE } from './areas.ts';
import { readCoverage } from './coverage.ts';
import { type Mutant, mutantsOf } from './mutants.ts';
import { asMarkdown, type Outcome, openReport, saveReport } from './report.ts';
import { Sandbox } from './sandbox.ts';

/** How many mutants of an area are tried before the next area has its turn. */
const ROUND = 10;

const { values } = parseArgs({
  options: {
    area: { type: 'string', multiple: true, default: Object.keys(AREAS) },
    sample: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    report: { type: 'string' },
    root: { type: 'string', default: resolve(import.meta.dirname, '../..') },
  },
});
const unknown = values.area.find((name) => !Object.hasOwn(AREAS, name));
if (unknown !== undefined) {
  throw new Error(`${unknown} is not an area; the areas are ${Object.keys(AREAS).join(', ')}`);
}
const [size, seed] = [Number(values.sample), Number(values.seed)];
if (Number.parseInt(process.versions.node, 10) < 24) {
  throw new Error('needs Node 24 or later, which runs TypeScript as it is');
}

interface Trial {
  readonly file: string;
  readonly source: string;
  readonly mutant: Mutant;
}

const sandbox = new Sandbox(values.root);
process.on('exit', () => sandbox.remove());
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));

const mutants = Map.groupBy(sandbox.files.flatMap(trialsOf), ({ file }) => areaOf(file));
const samples = new Map(
  Object.keys(AREAS).map((name) => [
    name,
    sampled(mutants.get(name) ?? [], size, new Random(seed)),
  ]),
);
const git = ['-C', values.root, 'describe', '--always', '--abbrev=10', '--exclude=*', '--dirty'];
const commit = execFileSync('git', git, { encoding: 'utf8' }).trim();
const report = openReport(values.report, {
  of: `Commit ${commit}, Node ${process.versions.node}, a sample of ${size} with seed ${seed}`,
  tests: {},
  areas: Object.fromEntries(
    [...samples.keys()].map((name) => [
      name,
      { mutants: mutants.get(name)?.length ?? 0, outcomes: [] },
    ]),
  ),
});

for (let goal = ROUND; goal - ROUND < size; goal += ROUND) {
  for (const name of values.area) {
    for (const test of testsOf(name)) await measure(test);
    const outcomes = report.areas[name]?.outcomes ?? [];
    const trials = samples.get(name)?.slice(0, goal) ?? [];
    for (const trial of trials.slice(outcomes.length)) {
      const outcome = await tryOut(name, `${name} ${outcomes.length}`, trial);
      outcomes.push(outcome);
      saveReport(values.report, report);
      process.stderr.write(
        `${name} ${outcomes.length}: ${outcome.killedBy ?? `SURVIVED ${outcome.place}`}\n`,
      );
    }
  }
}
process.stdout.write(asMarkdown(report));

/** The quick tests of an area. */
function testsOf(name: string): readonly string[] {
  return sandbox.files.filter(
    (file) =>
      file.endsWith('.test.ts') &&
      !file.endsWith('.long.test.ts') &&
      AREAS[name]?.tests.some((start) => file.startsWith(start)),
  );
}

/** Runs a test file without a mutant, and records its time and the mutants that it reaches. */
async function measure(test: string): Promise<void> {
  if (report.tests[test] !== undefined) return;
  const folder = mkdtempSync(join(sandbox.folder, 'coverage-'));
  const env = { NODE_V8_COVERAGE: folder, NODE_COMPILE_CACHE: '' };
  let run = await sandbox.run([test], env);
  if (run.failure !== undefined) run = await sandbox.run([test], env);
  const hasRun = readCoverage(folder, sandbox.folder);
  rmSync(folder, { recursive: true });
  const covers = [...samples].flatMap(([name, trials]) =>
    trials.flatMap(({ file, mutant }, i) =>
      WITHOUT_COVERAGE.test(test) || hasRun(file, mutant.origin) ? [`${name} ${i}`] : [],
    ),
  );
  const { failure, ms } = run;
  report.tests[test] = { ms: Math.round(ms), passed: failure === undefined, covers };
  saveReport(values.report, report);
  process.stderr.write(`${test}: ${Math.round(ms)} ms ${failure ?? ''}\n`);
}

async function tryOut(name: string, id: string, trial: Trial): Promise<Outcome> {
  const { file, source, mutant } = trial;
  const area = AREAS[name];
  const tests = testsOf(name)
    .filter((test) => report.tests[test]?.passed && report.tests[test].covers.includes(id))
    .sort((a, b) => msOf(a) - msOf(b));
  let killedBy: string | null = null;
  sandbox.write(file, mutated(source, mutant));
  for (const stage of area ? stagesOf(file, area, tests) : []) {
    const { failure } = await sandbox.run(stage);
    if (failure !== undefined) {
      killedBy = failure;
      break;
    }
  }
  sandbox.write(file, source);
  return { ...differenceOf(trial), killedBy, tests: tests.length };
}

function msOf(test: string): number {
  return report.tests[test]?.ms ?? 0;
}

function trialsOf(file: string): Trial[] {
  if (!/^src\/.*\.ts$/.test(file) || areaOf(file) === undefined) return [];
  const source = sandbox.read(file);
  return mutantsOf(source).map((mutant) => ({ file, source, mutant }));
}

/** A sample in random order, so that a smaller sample is the beginning of a larger one. */
function sampled<T>(items: readonly T[], count: number, random: Random): readonly T[] {
  const left = [...items];
  const chosen: T[] = [];
  while (chosen.length < count && left.length > 0) {
    chosen.push(...left.splice(random.below(left.length), 1));
  }
  return chosen;
}

function mutated(source: string, { start, end, replacement }: Mutant): string {
  return source.slice(0, start) + replacement + source.slice(end);
}

function differenceOf({
  file,
  source,
  mutant,
}: Trial): Pick<Outcome, 'place' | 'before' | 'after'> {
  const line = source.slice(0, mutant.start).split('\n').length;
  const lineIn = (text: string) => (text.split('\n')[line - 1] ?? '').trim();
  return {
    place: `${file}:${line}`,
    before: lineIn(source),
    after: lineIn(mutated(source, mutant)),
  };
}
