import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EventClient } from '../../../support/events.ts';
import { create, fakeEtcd, startReplica, titles } from './support/replicas.ts';

describe('a stream that moves to another replica', { concurrency: 2 }, () => {
  it('continues if that has followed the list since, though it never had a stream', async (test) => {
    const { url } = await fakeEtcd(test);
    const [a, b] = [await startReplica(test, url), await startReplica(test, url)];
    assert.deepEqual(await titles(b.client), []);
    const ofA = await EventClient.open(a.baseUrl);
    const { id } = await ofA.next();
    for (const title of ['one', 'two']) await create(a.client, title);
    const seen = await ofA.take(2);
    assert.deepEqual(await titles(b.client), ['one', 'two']);
    for (const [index, from] of [id, seen[0]?.id].entries()) {
      const ofB = await EventClient.open(b.baseUrl, from);
      assert.equal((await ofB.next()).event, 'ready');
      assert.deepEqual(await ofB.take(2 - index), seen.slice(index));
      ofB.close();
    }
    ofA.close();
  });

  it('gets reset if that has loaded the list since', async (test) => {
    const { url } = await fakeEtcd(test);
    const a = await startReplica(test, url);
    const ofA = await EventClient.open(a.baseUrl);
    await ofA.next();
    await create(a.client, 'one');
    const { id } = await ofA.next();
    await create(a.client, 'two');
    ofA.close();
    const late = await startReplica(test, url);
    const ofLate = await EventClient.open(late.baseUrl, id);
    const kinds = (await ofLate.take(2)).map(({ event }) => event);
    assert.deepEqual(kinds, ['ready', 'reset']);
    ofLate.close();
    // The last event that exists misses nothing.
    const again = await EventClient.open(late.baseUrl, ofLate.lastEventId);
    assert.equal((await again.next()).event, 'ready');
    await create(a.client, 'three');
    assert.match((await again.next()).data, /"three"/);
    again.close();
  });
});
