import { fork } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { inspect, parseArgs } from 'node:util';
import { runSeed } from './load/run.ts';

/*
 * Runs seeds, in as many processes as there are processors:
 *
 *     npm run test:replicas -- simulation --seconds=300
 *     npm run test:replicas -- simulation --from=1 --to=9   these seeds
 *     npm run test:replicas -- simulation --seed=42     that one, with the counts of its responses
 */

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '300' },
    seed: { type: 'string' },
    /** The first seed; by default, each run has other seeds than the runs before it. */
    from: { type: 'string', default: String(Math.floor(Date.now() / 1_000) * 1_000) },
    /** The last seed, if the time is not over before. */
    to: { type: 'string', default: 'Infinity' },
    /** The distance to the next seed of a process; the main process starts the others. */
    step: { type: 'string' },
  },
});

if (values.seed !== undefined) await play(Number(values.seed), true);
else if (values.step !== undefined) await playAll(Number(values.from), Number(values.step));
else {
  const count = availableParallelism();
  print(`seeds from ${values.from} on, for ${values.seconds} s in ${count} processes`);
  const children = Array.from({ length: count }, (_, i) => {
    const first = `--from=${Number(values.from) + i}`;
    const rest = [`--to=${values.to}`, `--seconds=${values.seconds}`, `--step=${count}`];
    return once(fork(fileURLToPath(import.meta.url), [first, ...rest]), 'exit');
  });
  for (const [status] of await Promise.all(children)) if (status !== 0) process.exitCode = 1;
}

async function playAll(first: number, step: number): Promise<void> {
  const deadline = performance.now() + Number(values.seconds) * 1_000;
  let seeds = 0;
  for (let seed = first; seed <= Number(values.to) && performance.now() < deadline; seed += step) {
    await play(seed, false);
    seeds++;
  }
  print(`${seeds} seeds`);
}

async function play(seed: number, isShown: boolean): Promise<void> {
  const outcome = await runSeed(seed).catch((error) => ({ violations: [inspect(error)] }));
  if (isShown) print(inspect(outcome));
  if (outcome.violations.length === 0) return;
  process.exitCode = 1;
  print(
    [`again: npm run test:replicas -- simulation --seed=${seed}`, ...outcome.violations].join(
      '\n  ',
    ),
  );
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
