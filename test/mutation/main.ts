/*
 * Makes one small change to the code after another, and expects a test to fail each time. Prints
 * the surviving mutants, each either an equivalent program or not covered by any test, and then
 * the share of each room.
 *
 *     npm run test:mutation -- --room src/lib/table/query --sample 100 --seed 7
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Random } from '../lib/table/support/random.ts';
import { type Mutant, mutantsOf } from './mutants.ts';
import { Sandbox } from './sandbox.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const ROOMS = [
  'src/lib/table/pages',
  'src/lib/table/query',
  'src/lib/table/write',
  'src/lib/http/routing',
  'src/service/resource',
  'src/service/todo/routes',
];
/** Tests that take long, or that only run in the original folder. */
const LEFT_OUT = /(\.long|guide|types|oracle)\.test\.ts$/;

const { values } = parseArgs({
  options: {
    room: { type: 'string', multiple: true, default: ROOMS },
    sample: { type: 'string', default: '40' },
    seed: { type: 'string', default: '1' },
  },
});

interface Trial {
  readonly file: string;
  readonly source: string;
  readonly mutant: Mutant;
}

const sandbox = new Sandbox(ROOT);
process.on('exit', () => sandbox.remove());
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));
const timeouts = new Map<string, number>();

for (const room of values.room) {
  const all = filesAt(room).flatMap((file): Trial[] => {
    const source = readFileSync(join(ROOT, file), 'utf8');
    return mutantsOf(source).map((mutant) => ({ file, source, mutant }));
  });
  const trials = sampled(all, Number(values.sample), new Random(Number(values.seed)));
  let killed = 0;
  for (const trial of trials) {
    if (await isKilled(trial, testsOf(trial.file))) killed++;
    else print(differenceOf(trial));
  }
  const share = Math.round((100 * killed) / Math.max(1, trials.length));
  print(`${share} % ${room}: ${killed} of ${trials.length} (${all.length}, seed ${values.seed})`);
}

async function isKilled(
  { file, source, mutant }: Trial,
  stages: readonly (readonly string[])[],
): Promise<boolean> {
  for (const tests of stages) {
    const timeout = await timeoutOf(tests);
    sandbox.write(file, mutated(source, mutant));
    const hasFailed = !(await sandbox.passes(tests, timeout));
    sandbox.write(file, source);
    if (hasFailed) return true;
  }
  return false;
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
 * The tests of a file, then the others of its folder, of its dependents, and of its layer: most
 * mutants fail the first.
 */
function testsOf(file: string): readonly (readonly string[])[] {
  const folder = dirname(file).replace(/^src/, 'test');
  const layer = folder.split('/').slice(0, 2).join('/');
  const whole =
    layer === 'test/lib/table'
      ? []
      : ['test/service/openapi/', 'test/api/', 'test/service/todo/', 'test/lib/replica/'];
  const own = file.replace(/^src/, 'test').replace(/\.ts$/, '.test.ts');
  const seen = new Set<string>();
  const stages = [own, `${folder}/`, ...whole, `${layer}/`].map((start) => {
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

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
