import { inspect } from 'node:util';
import { variantA } from '../../../../src/service/todo/variant-a.ts';
import { variantB } from '../../../../src/service/todo/variant-b.ts';
import type { ReplicaOptions } from '../service/replica.ts';
import { Simulation } from '../service/simulation.ts';
import { Checker } from './checker.ts';
import { Items, SimulatedClient } from './client.ts';
import { FaultInjector, type FaultKinds } from './fault-injector.ts';
import { StoredHistory } from './stored-history.ts';
import { StreamClient } from './stream-client.ts';

/** The result of a run. */
export interface Outcome {
  /** The violations that the checker has found. */
  readonly violations: readonly string[];
  /** The number of responses that clients have got, by kind. */
  readonly counts: ReadonlyMap<string, number>;
  /** Identifies the run: two of the same seed are the same. */
  readonly fingerprint: string;
}

/** Seeds that find planted faults in a second: untrue answers, reused tags, lost events and items. */
export const KNOWN_SEEDS: readonly number[] = [9, 61, 13, 1];

/** The time after all faults within which all replicas must be ready, in milliseconds. */
const RECOVERY_MS = 6_000;

/** The longest time that messages may still be on their way, in milliseconds. */
const SETTLING_MS = 6_000;

/** The time limit of a run after its faults, in simulated milliseconds. */
const END_MS = 120_000;

/** Runs the simulation of a seed, which decides everything that is random. */
export async function runSeed(seed: number, ms = 20_000): Promise<Outcome> {
  const simulation = new Simulation(seed);
  const { environment } = simulation;
  try {
    const end = environment.sleep(ms + END_MS).then(() => {
      throw new Error(`the run of seed ${seed} does not end`);
    });
    return await Promise.race([run(simulation, ms), end]);
  } finally {
    simulation.end();
  }
}

async function run(simulation: Simulation, ms: number): Promise<Outcome> {
  const { environment, etcd, replicas } = simulation;
  const history = new StoredHistory();
  const checker = new Checker(simulation, history);
  etcd.onWrite = history.note;
  const reloads = environment.chance(0.7);
  const kinds: FaultKinds = {
    reloads,
    refuses: environment.chance(0.3),
    restarts: environment.chance(0.7),
    restores: reloads && environment.chance(0.2),
    empties: reloads && environment.chance(0.3),
    loses: reloads && environment.chance(0.3),
    separates: reloads && environment.chance(0.3),
  };
  const resets = reloads && environment.chance(0.4);
  if (environment.chance(0.2)) etcd.password = 'secret';
  const options: ReplicaOptions = {
    variant: environment.chance(0.3) ? variantB : variantA,
    seed: Array.from(
      { length: environment.chance(0.1) ? 250 : environment.random.below(4) },
      // Few have a digit, so that writes to all items with a digit take one commit.
      (_, i) => ({ title: `seed ${i < 10 ? i : ''}` }),
    ),
    password: etcd.password,
  };
  let started = 0;
  const start = () => {
    const historyBytes = environment.chance(0.5) ? 2_000 : 100_000;
    // Two versions, as while replicas are upgraded one by one.
    simulation.start({ ...options, historyBytes, is4_0: started++ % 2 === 1 });
  };
  const count = 1 + environment.random.below(4);
  for (let i = 0; i < count; i++) start();
  await simulation.ready();

  let isOver = false;
  const over = () => isOver;
  const items = new Items();
  const pauseMs = environment.random.pick([5, 30, 200]);
  const habits = { pauseMs, resets };
  const clients = Array.from({ length: 3 + environment.random.below(12) }, () =>
    new SimulatedClient(simulation, checker, items, habits).run(over),
  );
  const streams = [0, 1].map(() => new StreamClient(simulation, history, checker));
  const following = streams.map((stream) => stream.run(over));
  const injector = new FaultInjector(simulation, history, checker, kinds, start);
  const injecting = injector.run(over);
  await environment.sleep(ms);

  isOver = true;
  await injecting;

  injector.heal();
  // A replica that was killed is started within this time.
  await simulation.ready(RECOVERY_MS).catch(() => {
    const reasons = replicas.map(({ notReadyReason }) => notReadyReason);
    checker.violation(`not ready ${RECOVERY_MS} ms after all faults: ${reasons}`);
  });

  await Promise.all([...clients, ...following]);
  await environment.sleep(SETTLING_MS);
  await check(simulation, checker, streams, reloads);
  const { violations, counts } = checker;
  const { events, now } = environment;
  const fingerprint = inspect([events, now, history.last, counts], { maxArrayLength: null });
  return { violations, counts, fingerprint };
}

/** Checks everything that holds at the end. @param reloads whether replicas may have loaded again */
async function check(
  simulation: Simulation,
  checker: Checker,
  streams: readonly StreamClient[],
  reloads: boolean,
): Promise<void> {
  const { replicas } = simulation;
  const lists = new Set<string>();
  for (const replica of replicas) {
    const begun = checker.begin();
    const answer = await replica.get('/api/todos');
    if (answer.status === 200) checker.seeList(answer, begun);
    lists.add(`${answer.status} ${answer.headers.etag} ${answer.text}`);
  }
  if (lists.size > 1) checker.violation(`replicas differ: ${[...lists].join('; ')}`);
  for (const replica of replicas) {
    const made = await replica.post('/api/todos', { title: 'last' });
    if (made.status !== 201) checker.violation(`in the end: ${made.status} ${made.text}`);
    await replica.delete(`/api/todos/${made.json().id}`);
    const loads = replica.metric('todo_store_loads_total');
    if (!reloads && loads > 1) checker.violation(`${replica.name} loaded the list ${loads} times`);
    for (const each of replica.incompatibilities) checker.violation(each);
  }
  const [first] = replicas;
  for (const stream of streams) if (first) await stream.finish(first);
  checker.finish();
}
