import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { Pool } from 'undici';
import { FaultyLink } from '../../../replicas/support/faulty-link.ts';
import { EventClient } from '../../../support/events.ts';
import { LIST } from '../../../support/paths.ts';
import { freePorts } from '../../../support/ports.ts';
import { type RunningReplica, startReplica, until } from './replicas.ts';

/** How many items are created while a stream is disconnected: several pages of history. */
export const MISSED = 800;

/** The longest description. */
export const LONG = 'x'.repeat(1_000);

/** The delay of a page during which something else is to happen, in milliseconds. */
export const LATE_MS = 200;

/** A list with a long history, and a replica that started after it. */
export interface Past {
  /** A replica that has been running from the beginning. */
  readonly old: RunningReplica;
  readonly late: RunningReplica;
  /** The proxies through which the late replica reaches etcd's nodes. */
  readonly links: readonly FaultyLink[];
  /** The id of the last event before the missed ones. */
  readonly seen: string;
}

/**
 * Creates a list with a long history.
 * @param nodes the ports of etcd's nodes
 */
export async function pastOn(
  test: TestContext,
  nodes: readonly number[],
  timeoutMs = 5_000,
): Promise<Past> {
  const settings = { timeoutMs, prefix: `/${crypto.randomUUID()}/` };
  const options = { historyBytes: 64 * 1024, table: { maxRows: 10_000 }, settings };
  const old = await startReplica(test, endpoints(nodes), options);
  await isReady(old);
  const stream = await EventClient.open(old.baseUrl);
  const { id: seen } = await stream.next();
  stream.close();
  assert(seen);
  await createAll(old);
  const links = nodes.map((port) => new FaultyLink(port));
  test.after(() => {
    for (const link of links) link.close();
  });
  const ports = await freePorts(links.length);
  await Promise.all(links.map((link, i) => link.listen(ports[i] ?? 0)));
  const late = await startReplica(test, endpoints(ports), options);
  await isReady(late);
  return { old, late, links, seen };
}

function endpoints(ports: readonly number[]): string {
  return ports.map((port) => `http://127.0.0.1:${port}`).join(',');
}

export async function isReady({ client }: RunningReplica): Promise<void> {
  await until('it is ready', async () => (await client.get('/readyz')).status === 200);
}

/** Creates the items whose events are missed. */
async function createAll({ baseUrl }: RunningReplica): Promise<void> {
  const pool = new Pool(baseUrl, { connections: 40 });
  const body = JSON.stringify({ title: 'x', description: LONG });
  const headers = { 'content-type': 'application/json' };
  const creating = range(MISSED).map(async () => {
    const answer = await pool.request({ method: 'POST', path: LIST, headers, body });
    assert.equal(answer.statusCode, 201);
    await answer.body.dump();
  });
  await Promise.all(creating);
  await pool.destroy();
}

/** Resumes a stream, and waits for the first event that it has missed. */
export async function resume({ baseUrl }: RunningReplica, id: string): Promise<EventClient> {
  const stream = await EventClient.open(baseUrl, id);
  assert.equal((await stream.next()).event, 'ready');
  await stream.next();
  return stream;
}

/** The ids of the items in all events of a stream except `ready`. */
export function idsOf({ events }: EventClient): number[] {
  return events.slice(1).map(({ data }) => JSON.parse(data).id);
}

export function range(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i + 1);
}

/** Asserts that a client that resumes this stream gets `reset`. */
export async function assertReset(replica: RunningReplica, stream: EventClient): Promise<void> {
  assert(stream.lastEventId);
  const again = await EventClient.open(replica.baseUrl, stream.lastEventId);
  const kinds = (await again.take(2)).map(({ event }) => event);
  assert.deepEqual(kinds, ['ready', 'reset']);
  again.close();
}
