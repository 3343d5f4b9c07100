import { it } from 'node:test';
import type { RequestOutcome } from '../network/network.ts';
import type { ReplicaOptions, SimulatedReplica } from '../service/replica.ts';
import { Simulation } from '../service/simulation.ts';

/** More items than fit into a few transactions, with any characters. */
export const TITLES = Array.from({ length: 3_000 }, (_, i) => `é"\\\0\n\u{1F600}\u{10400} ${i}`);

/** A list with these items. */
export const LONG_LIST = { seed: TITLES.map((title) => ({ title })), maxRows: 10_000 };

/** Declares a test with a simulation of its own. */
export function simulated(title: string, play: (simulation: Simulation) => Promise<void>): void {
  it(title, async () => {
    const simulation = new Simulation();
    try {
      await play(simulation);
    } finally {
      simulation.end();
    }
  });
}

/** Starts a replica, and waits until all are ready. */
export async function startOne(all: Simulation, options: ReplicaOptions = {}) {
  const replica = all.start(options);
  await all.ready();
  return replica;
}

/** Starts two replicas, and waits until they are ready. */
export async function startTwo(all: Simulation, options: ReplicaOptions = {}) {
  const both = [all.start(options), all.start(options)] as const;
  await all.ready();
  return both;
}

/** Starts a replica that the stored list does not fit. Returns why. */
export async function refusalOf(all: Simulation, options: ReplicaOptions = {}): Promise<string> {
  const { incompatibilities } = all.start(options);
  await all.until('it is refused', () => incompatibilities.length > 0);
  all.replicas.pop();
  return incompatibilities.join();
}

/** Decides the outcomes of a replica's requests to etcd. */
export function intercept(
  { links }: SimulatedReplica,
  decide: ((path: string, body: string) => RequestOutcome | undefined) | undefined,
): void {
  for (const link of links) link.intercept = decide;
}

/** Whether a request is a transaction that writes. */
export function isCommit(path: string, body: string): boolean {
  return path === '/v3/kv/txn' && body.includes('"request_put"');
}

/** The titles of all rows that etcd has stored. */
export function storedTitles({ store }: Simulation['etcd']): string[] {
  const keys = store.keys('/test/row/', '/test/row0', store.revision);
  return keys.map((key) => JSON.parse(store.value(key) ?? '').title);
}
