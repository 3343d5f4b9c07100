import type { FieldValues } from '../../../../src/service/resource/field.ts';
import { variantA } from '../../../../src/service/todo/variant-a.ts';
import { variantB } from '../../../../src/service/todo/variant-b.ts';
import type { ReplicaOptions } from '../service/replica.ts';
import { Simulation } from '../service/simulation.ts';
import { Chaos } from './chaos.ts';
import { Items, SimulatedClient } from './client.ts';
import { Recorder } from './recorder.ts';
import { StreamClient } from './stream-client.ts';
import { Truth } from './truth.ts';

/** What came of a seed. */
export interface Outcome {
  readonly seed: number;
  /** What was wrong; nothing, if all is well. */
  readonly violations: readonly string[];
  /** How many requests clients have made. */
  readonly operations: number;
  readonly counts: ReadonlyMap<string, number>;
  /** How many events the world had, and how long it lasted in its own time, in milliseconds. */
  readonly events: number;
  readonly ms: number;
  /** Identifies the run: two of the same seed are the same. */
  readonly fingerprint: string;
}

/** How long after all faults everything must work again, in milliseconds. */
const RECOVERY_MS = 6_000;

/** How long messages may still be on their way, in milliseconds. */
const SETTLING_MS = 6_000;

/** How long a world may last after its faults, in milliseconds. */
const END_MS = 120_000;

/** Runs a world from one seed, in which everything is decided by chance. */
export async function runSeed(seed: number, ms = 20_000): Promise<Outcome> {
  const simulation = new Simulation(seed);
  const { world } = simulation;
  try {
    const end = world.sleep(ms + END_MS).then(() => {
      throw new Error(`the world of seed ${seed} does not end`);
    });
    return await Promise.race([run(simulation, ms), end]);
  } finally {
    simulation.end();
  }
}

async function run(simulation: Simulation, ms: number): Promise<Outcome> {
  const { world, etcd, replicas } = simulation;
  const truth = new Truth();
  const recorder = new Recorder(simulation, truth);
  etcd.onWrite = truth.note;
  const isB = world.chance(0.3);
  const resets = world.chance(0.3);
  const seed: FieldValues[] = Array.from(
    { length: world.chance(0.1) ? 250 : world.random.below(4) },
    (_, i) => ({ title: `seed ${i}` }),
  );
  if (world.chance(0.2)) etcd.password = 'secret';
  const user = etcd.password ? { name: 'todo', password: etcd.password } : undefined;
  const optionsOf = (): ReplicaOptions => ({
    variant: isB ? variantB : variantA,
    seed,
    ...(user && { user }),
    historyBytes: world.chance(0.5) ? 2_000 : 100_000,
  });
  const dangers = {
    ...{ refuses: world.chance(0.3), restarts: world.chance(0.7), restores: world.chance(0.15) },
    loses: world.chance(0.2),
    optionsOf,
  };
  const count = 1 + world.random.below(4);
  for (let i = 0; i < count; i++) simulation.start(optionsOf());
  await simulation.ready();

  let isOver = false;
  const over = () => isOver;
  const items = new Items();
  const pauseMs = world.random.pick([5, 30, 200]);
  const habits = { pauseMs, resets, areRefused: resets || dangers.restores };
  const clients = Array.from({ length: 3 + world.random.below(12) }, () =>
    new SimulatedClient(simulation, recorder, items, habits).run(over),
  );
  const streams = [0, 1].map(() => new StreamClient(simulation, truth, recorder));
  const following = streams.map((stream) => stream.run(over));
  const chaos = new Chaos(simulation, truth, recorder, dangers);
  const raging = chaos.run(over);
  await world.sleep(ms);

  isOver = true;
  await raging;

  chaos.heal();
  // A replica that was killed is started within this time.
  await simulation.ready(RECOVERY_MS).catch(() => {
    const reasons = replicas.map(({ replica }) => replica.notReadyProblem()?.message);
    recorder.violation(`not ready ${RECOVERY_MS} ms after all faults: ${reasons}`);
  });

  await Promise.all([...clients, ...following]);
  await world.sleep(SETTLING_MS);
  await check(simulation, recorder, streams);
  const { events, now } = world;
  const counts = [...recorder.counts].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    ...{ seed: world.seed, violations: recorder.violations, operations: recorder.operations },
    ...{ counts: recorder.counts, events, ms: now },
    fingerprint: `${events} ${now} ${truth.last} ${JSON.stringify(counts)}`,
  };
}

/** Checks everything that holds at the end. */
async function check(
  simulation: Simulation,
  recorder: Recorder,
  streams: readonly StreamClient[],
): Promise<void> {
  const { replicas } = simulation;
  const lists = new Set<string>();
  for (const replica of replicas) {
    const begun = recorder.begin();
    const answer = await replica.get('/api/todos');
    if (answer.status === 200) recorder.seeList(answer, begun);
    lists.add(`${answer.status} ${answer.headers.etag} ${answer.text}`);
    const made = await replica.post('/api/todos', { title: 'last' });
    if (made.status !== 201) recorder.violation(`in the end: ${made.status} ${made.text}`);
    await replica.delete(`/api/todos/${made.json().id}`);
  }
  const [first] = replicas;
  for (const stream of streams) if (first) await stream.finish(first);
  recorder.finish();
  for (const replica of replicas) {
    for (const each of replica.incompatibilities) recorder.violation(each);
  }
}
