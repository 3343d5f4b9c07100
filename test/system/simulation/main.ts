import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { inspect, parseArgs } from 'node:util';
import { type Outcome, runSeed } from './load/run.ts';

/*
 * Runs as many seeds as a time holds:
 *
 *     npm run test:system -- simulation --seconds=300
 *     npm run test:system -- simulation --from=1 --to=9   these seeds
 *     npm run test:system -- simulation --seed=42     that one, with what its clients were answered
 */

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '300' },
    seed: { type: 'string' },
    /** The first of the seeds; if absent, each run has others than the ones before it. */
    from: { type: 'string' },
    /** The last of the seeds, if the time is not over before. */
    to: { type: 'string' },
    /** The first seed, and the distance to the next one, in a process of its own. */
    first: { type: 'string' },
    step: { type: 'string', default: '1' },
  },
});
const deadline = performance.now() + Number(values.seconds) * 1000;
const lastSeed = Number(values.to ?? Number.POSITIVE_INFINITY);

/** What a process has done. */
interface Tally {
  readonly seeds: number;
  readonly operations: number;
  readonly failed: readonly number[];
}

if (values.seed !== undefined) process.exitCode = (await play(Number(values.seed))) ? 0 : 1;
else if (values.first !== undefined) process.send?.(await tally(Number(values.first)));
else await all();

async function all(): Promise<void> {
  const count = availableParallelism();
  const first = Number(values.from ?? Math.floor(Date.now() / 1000) * 1000);
  print(`seeds from ${first} on, for ${values.seconds} s in ${count} processes`);
  const tallies = await Promise.all(
    Array.from({ length: count }, (_, i) => child(first + i, count)),
  );
  const sum = (of: (tally: Tally) => number) => tallies.reduce((all, each) => all + of(each), 0);
  const failed = tallies.flatMap((each) => each.failed);
  print(`${sum(({ seeds }) => seeds)} seeds, ${sum((each) => each.operations)} operations`);
  for (const seed of failed) print(`again: npm run test:system -- simulation --seed=${seed}`);
  if (failed.length > 0) process.exitCode = 1;
}

function child(first: number, step: number): Promise<Tally> {
  const args = [`--seconds=${values.seconds}`, `--first=${first}`, `--step=${step}`];
  if (values.to !== undefined) args.push(`--to=${values.to}`);
  const running = fork(fileURLToPath(import.meta.url), args);
  return new Promise((resolve, reject) => {
    running.once('message', (tally: Tally) => resolve(tally));
    running.once('exit', (status) => reject(new Error(`a process ended with ${status}`)));
  });
}

async function tally(first: number): Promise<Tally> {
  let [seeds, operations] = [0, 0];
  const failed: number[] = [];
  const step = Number(values.step);
  for (let seed = first; seed <= lastSeed && performance.now() < deadline; seed += step) {
    const outcome = await outcomeOf(seed);
    seeds++;
    operations += outcome.operations ?? 0;
    if (outcome.violations.length === 0) continue;
    failed.push(seed);
    print([`seed ${seed}:`, ...outcome.violations].join('\n  '));
  }
  return { seeds, operations, failed };
}

/** Runs a seed, and prints what came of it. */
async function play(seed: number): Promise<boolean> {
  const outcome = await outcomeOf(seed);
  print(inspect(outcome));
  return outcome.violations.length === 0;
}

async function outcomeOf(seed: number): Promise<Partial<Outcome> & Pick<Outcome, 'violations'>> {
  try {
    return await runSeed(seed);
  } catch (error) {
    return { violations: [error instanceof Error ? String(error.stack) : String(error)] };
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
