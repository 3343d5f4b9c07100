import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Answer } from '../../support/client.ts';
import type { Fate } from '../network/network.ts';
import type { SimulatedReplica } from '../service/replica.ts';
import { Simulation } from '../service/simulation.ts';

/** Declares a test in a world of its own. */
export function inWorld(title: string, play: (simulation: Simulation) => Promise<void>): void {
  it(title, async () => {
    const simulation = new Simulation();
    try {
      await play(simulation);
    } finally {
      simulation.end();
    }
  });
}

/** Decides what becomes of a replica's requests to etcd. */
export function intercept(
  { links }: SimulatedReplica,
  decide: ((path: string, body: string) => Fate | undefined) | undefined,
): void {
  for (const link of links) link.intercept = decide;
}

/** Whether a request is a transaction that writes. */
export function isCommit(path: string, body: string): boolean {
  return path === '/v3/kv/txn' && body.includes('"request_put"');
}

/** What clients were told of their creates, by title. */
export interface Told {
  readonly done: string[];
  readonly notDone: string[];
  readonly unknown: string[];
}

/** Creates items one after the other, each with its own title. */
export async function createAll(
  replica: SimulatedReplica,
  prefix: string,
  count: number,
): Promise<Told> {
  const told: Told = { done: [], notDone: [], unknown: [] };
  for (let i = 0; i < count; i++) {
    const title = `${prefix}${i}`;
    const answer = await replica.post('/api/todos', { title });
    if (answer.status === 201) told.done.push(title);
    else (codeOf(answer) === 'outcome-unknown' ? told.unknown : told.notDone).push(title);
  }
  return told;
}

function codeOf(answer: Answer): string {
  const { code } = answer.json<{ code: string }>();
  assert(code === 'store-unavailable' || code === 'outcome-unknown', answer.text);
  return code;
}

/** Asserts that what clients were told is what happened. */
export function assertTrue({ etcd }: Simulation, { done, notDone, unknown }: Told): void {
  const stored = storedTitles(etcd);
  const timesOf = (title: string) => stored.filter((each) => each === title).length;
  for (const title of done) assert.equal(timesOf(title), 1, `${title} was acknowledged`);
  for (const title of notDone) assert.equal(timesOf(title), 0, `${title} had not happened`);
  for (const title of unknown) assert(timesOf(title) <= 1, `${title} happened more than once`);
}

/** The titles of all stored rows, whatever replicas say. */
export function storedTitles({ store }: Simulation['etcd']): string[] {
  const keys = store.keys('/test/row/', '/test/row0', store.revision);
  return keys.map((key) => JSON.parse(store.value(key) ?? '').title);
}

/** The titles of all items, by ascending id. */
export async function titles(replica: SimulatedReplica): Promise<string[]> {
  const answer = await replica.get('/api/todos');
  assert.equal(answer.status, 200, answer.text);
  return answer.json<{ title: string }[]>().map(({ title }) => title);
}

/** Creates an item, and returns its id. */
export async function create(replica: SimulatedReplica, title: string): Promise<number> {
  const answer = await replica.post('/api/todos', { title });
  assert.equal(answer.status, 201, answer.text);
  return answer.json().id;
}
