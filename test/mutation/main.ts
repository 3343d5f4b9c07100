/*
 * Makes one small change to the code after another, and expects a test to fail each time. Prints
 * the surviving mutants: each is either an equivalent program, or not covered by any test.
 *
 *     npm run test:mutation -- --file src/table/indexes --sample 100 --seed 7
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Random } from '../table/support/random.ts';
import { type Mutant, mutantsOf } from './mutants.ts';
import { Sandbox } from './sandbox.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SOURCES = ['src/table', 'src/resource', 'src/http/request', 'src/http/routing'];
/** Tests that take long, or that only run in the original folder. */
const LEFT_OUT = /(fault|guide|types|\/bytes|oracle|events|linearizable|full)[^/]*$/;

const { values } = parseArgs({
  options: {
    file: { type: 'string', multiple: true, default: SOURCES },
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
  },
});

interface Trial {
  readonly file: string;
  readonly source: string;
  readonly mutant: Mutant;
}

const files = values.file.flatMap(filesAt);
const all = files.flatMap((file): Trial[] => {
  const source = readFileSync(join(ROOT, file), 'utf8');
  return mutantsOf(source).map((mutant) => ({ file, source, mutant }));
});
const trials = sampled(all, Number(values.sample ?? all.length), new Random(Number(values.seed)));
print(`${trials.length} of ${all.length} mutants of ${files.length} files, seed ${values.seed}`);

const sandbox = new Sandbox(ROOT);
process.on('exit', () => sandbox.remove());
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));
const timeouts = new Map<string, number>();
let killedInAll = 0;

for (const file of files) {
  const ofFile = trials.filter((trial) => trial.file === file);
  const tests = testsOf(file);
  if (ofFile.length === 0) continue;
  let killed = 0;
  const survivors: Trial[] = [];
  for (const trial of ofFile) {
    if (await isKilled(trial, tests)) killed++;
    else survivors.push(trial);
  }
  killedInAll += killed;
  print(`${percent(killed, ofFile.length)} ${file}: ${killed} of ${ofFile.length}`);
  for (const survivor of survivors) print(differenceOf(survivor));
}
print(`${percent(killedInAll, trials.length)} in all: ${killedInAll} of ${trials.length}`);

async function isKilled(
  { file, source, mutant }: Trial,
  stages: readonly (readonly string[])[],
): Promise<boolean> {
  const limits: number[] = [];
  for (const tests of stages) limits.push(await timeoutOf(tests));
  sandbox.write(file, mutated(source, mutant));
  try {
    for (const [i, tests] of stages.entries()) {
      if (!(await sandbox.passes(tests, limits[i] ?? 0))) return true;
    }
    return false;
  } finally {
    sandbox.write(file, source);
  }
}

/** The timeout of tests: four times as long as they take without a mutant. */
async function timeoutOf(tests: readonly string[]): Promise<number> {
  const key = tests.join();
  const known = timeouts.get(key);
  if (known !== undefined) return known;
  const start = performance.now();
  if (!(await sandbox.passes(tests, 300_000))) throw new Error(`fails without a mutant: ${key}`);
  const timeout = 3000 + 4 * (performance.now() - start);
  timeouts.set(key, timeout);
  return timeout;
}

/**
 * The tests of a file, then the others of its folder, of its layer, and of its dependents: most
 * mutants fail the first.
 */
function testsOf(file: string): readonly (readonly string[])[] {
  const folder = dirname(file).replace(/^src/, 'test');
  const layer = folder.split('/').slice(0, 2).join('/');
  const whole = layer === 'test/table' ? [] : ['test/openapi/document', 'test/api'];
  const own = file.replace(/^src/, 'test').replace(/\.ts$/, '.test.ts');
  const seen = new Set<string>();
  const stages = [own, `${folder}/`, `${layer}/`, ...whole].map((start) => {
    const tests = testsBelow(start).filter((test) => !seen.has(test));
    for (const test of tests) seen.add(test);
    return tests;
  });
  return stages.filter((tests) => tests.length > 0);
}

/** The tests whose path begins in this way. */
function testsBelow(start: string): readonly string[] {
  return sandbox.files.filter(
    (file) => file.startsWith(start) && file.endsWith('.test.ts') && !LEFT_OUT.test(file),
  );
}

function filesAt(path: string): string[] {
  if (statSync(join(ROOT, path)).isFile()) return [path];
  return readdirSync(join(ROOT, path), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .sort()
    .map((name) => `${path}/${name}`);
}

function sampled<T>(items: readonly T[], count: number, random: Random): readonly T[] {
  const left = [...items.keys()];
  const chosen = new Set<number>();
  while (chosen.size < count && left.length > 0) {
    for (const index of left.splice(random.below(left.length), 1)) chosen.add(index);
  }
  return items.filter((_, index) => chosen.has(index));
}

function mutated(source: string, { start, end, replacement }: Mutant): string {
  return source.slice(0, start) + replacement + source.slice(end);
}

function differenceOf({ file, source, mutant }: Trial): string {
  const line = source.slice(0, mutant.start).split('\n').length;
  const before = source.split('\n')[line - 1] ?? '';
  const after = mutated(source, mutant).split('\n')[line - 1] ?? '';
  return `  ${file}:${line}\n  - ${before.trim()}\n  + ${after.trim()}`;
}

function percent(part: number, whole: number): string {
  return `${Math.round((100 * part) / Math.max(1, whole))} %`.padStart(5);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
