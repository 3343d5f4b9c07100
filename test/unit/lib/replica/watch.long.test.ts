import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EventClient } from '../../../support/events.ts';
import { itemPath, LIST } from '../../../support/paths.ts';
import type { EventJson } from '../../../system/simulation/etcd/store.ts';
import type { FakeEtcd } from './support/fake-etcd.ts';
import { create, fakeEtcd, startReplica, titles, until } from './support/replicas.ts';

describe('a view', { concurrency: 4 }, () => {
  const breakages: readonly (readonly [what: string, breakage: (etcd: FakeEtcd) => void])[] = [
    ['split', (etcd) => (etcd.gateway.split = (all) => all.map((event) => [event]))],
    ['sent twice', (etcd) => (etcd.gateway.split = (all) => [all, all])],
    ['sent in parts twice', (etcd) => (etcd.gateway.split = (all) => [all.slice(0, 1), all])],
    ['late', (etcd) => (etcd.faults.watchDelayMs = 50)],
    ['lost in part', (etcd) => (etcd.gateway.split = every(3, (all) => [all.slice(1)]))],
    [
      'lost except for the rows',
      (etcd) => (etcd.gateway.split = every(7, (all) => [all.slice(0, -1)])),
    ],
    ['lost', (etcd) => (etcd.gateway.split = every(7, () => []))],
    ['broken off', (etcd) => (etcd.gateway.split = every(3, (all) => breakingWatches(etcd, all)))],
  ];
  for (const [what, breakage] of breakages) {
    it(`shows every transaction once and whole if events are ${what}`, async (test) => {
      const { etcd, url } = await fakeEtcd(test);
      const [a, b] = [await startReplica(test, url), await startReplica(test, url)];
      await create(a.client, 'first');
      await titles(b.client);
      breakage(etcd);
      for (let i = 0; i < 12; i++) {
        const id = await create(a.client, `${i}`);
        if (i % 3 === 0) await a.client.delete(itemPath(id));
        const [ofA, ofB] = [await a.client.get(LIST), await b.client.get(LIST)];
        assert.equal(ofB.text, ofA.text);
      }
    });
  }

  it('does not reload if only what it has seen has been compacted', async (test) => {
    const { etcd, url } = await fakeEtcd(test);
    const { client, replica } = await startReplica(test, url);
    await create(client, 'x');
    // Another application uses the same etcd.
    for (let i = 0; i < 5; i++) etcd.gateway.write([{ put: 'other', value: `${i}` }]);
    etcd.store.compact();
    etcd.breakWatches();
    await until('it follows again', () => etcd.watches === 1);
    await create(client, 'y');
    assert.equal(replica.stats()?.loads, 1);
  });

  it('detects a restored backup even if etcd has reached the same revision', async (test) => {
    const { etcd, url } = await fakeEtcd(test);
    const a = await startReplica(test, url);
    await create(a.client, 'kept');
    const { revision } = etcd.store;
    await create(a.client, 'lost');
    etcd.close();
    etcd.store.restore(revision);
    await etcd.listen();
    const b = await startReplica(test, url);
    await create(b.client, 'new');
    await create(b.client, 'newer');
    await until('both show the same', async () => {
      const answer = await a.client.get(LIST);
      return answer.status === 200 && answer.text.includes('newer');
    });
    assert.deepEqual(await titles(a.client), ['kept', 'new', 'newer']);
  });
});

describe('events of replicas', { concurrency: 3 }, () => {
  it('have the same ids', async (test) => {
    const { url } = await fakeEtcd(test);
    const [a, b] = [await startReplica(test, url), await startReplica(test, url)];
    const [ofA, ofB] = [await EventClient.open(a.baseUrl), await EventClient.open(b.baseUrl)];
    await Promise.all([ofA.next(), ofB.next()]);
    for (let i = 0; i < 4; i++) await create(i % 2 ? a.client : b.client, `${i}`);
    await a.client.delete(itemPath(2));
    const [seen, same] = [await ofA.take(5), await ofB.take(5)];
    assert.deepEqual(seen, same);
    for (const each of [ofA, ofB]) each.close();
  });

  it('resume without loss on a replica that is behind', async (test) => {
    const { etcd, url } = await fakeEtcd(test);
    const [a, b] = [await startReplica(test, url), await startReplica(test, url)];
    await create(a.client, 'first');
    await titles(b.client);
    etcd.faults.watchDelayMs = 200;
    const ofA = await EventClient.open(a.baseUrl);
    await ofA.next();
    await create(a.client, 'second');
    const { id } = await ofA.next();
    const ofB = await EventClient.open(b.baseUrl, id);
    assert.equal((await ofB.next()).event, 'ready');
    await create(a.client, 'third');
    assert.match((await ofB.next()).data, /"third"/);
    for (const each of [ofA, ofB]) each.close();
  });
});

function breakingWatches(etcd: FakeEtcd, events: readonly EventJson[]) {
  etcd.breakWatches();
  return [events];
}

/** Breaks the events of every n-th transaction. */
function every(
  count: number,
  breakage: (events: readonly EventJson[]) => readonly (readonly EventJson[])[],
): (events: readonly EventJson[]) => readonly (readonly EventJson[])[] {
  let seen = 0;
  return (events) => (++seen % count === 0 ? breakage(events) : [events]);
}
