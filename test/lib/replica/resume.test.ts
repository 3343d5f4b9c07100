import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EventClient } from '../../support/events.ts';
import { idsOf, MISSED, pastOn, range, resume } from './support/past.ts';
import { create, fakeEtcd } from './support/replicas.ts';

describe('a stream that missed what only etcd still knows', () => {
  it('gets all of it, in order, and then what is new', async (test) => {
    const { url } = await fakeEtcd(test);
    const { late, seen } = await pastOn(test, [Number(new URL(url).port)]);
    const stream = await resume(late, seen);
    await stream.take(MISSED - 1);
    assert.deepEqual(idsOf(stream), range(MISSED));
    await create(late.client, 'new');
    const { event, data } = await stream.next();
    assert.equal(event, 'put');
    assert.match(data, /"new"/);
    stream.close();
    // Nothing has been missed by who has seen the last event.
    const again = await EventClient.open(late.baseUrl, stream.lastEventId);
    await create(late.client, 'newest');
    const [ready, newest] = await again.take(2);
    assert.equal(ready?.event, 'ready');
    assert.match(newest?.data ?? '', /"newest"/);
    again.close();
  });

  it('gets reset if etcd has been compacted since', async (test) => {
    const { etcd, url } = await fakeEtcd(test);
    const { late, seen } = await pastOn(test, [Number(new URL(url).port)]);
    etcd.store.compact();
    const stream = await EventClient.open(late.baseUrl, seen);
    const [ready, reset] = await stream.take(2);
    assert.deepEqual([ready?.event, reset?.event], ['ready', 'reset']);
    await create(late.client, 'new');
    assert.match((await stream.next()).data, /"new"/);
    stream.close();
  });
});
