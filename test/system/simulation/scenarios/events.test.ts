import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { create } from '../../../support/items.ts';
import { Recorder } from '../load/recorder.ts';
import { StreamClient } from '../load/stream-client.ts';
import { Truth } from '../load/truth.ts';
import { inWorld } from './stage.ts';

describe('a client of the event stream', () => {
  inWorld('that leaves within a commit has nothing of it if a restore loses it', async (all) => {
    const truth = new Truth();
    const recorder = new Recorder(all, truth);
    const client = new StreamClient(all, truth, recorder);
    all.etcd.onWrite = truth.note;
    const replica = all.start();
    await all.ready();
    for (const title of ['one', 'two']) await create(replica, title);
    const { revision } = all.etcd.store;
    let leaves = false;
    const following = client.run(() => leaves);
    await all.world.sleep(500);
    leaves = true;
    assert.equal((await replica.delete('/api/todos?completed=false')).status, 200);
    await following;
    assert.equal(all.etcd.store.revision, revision + 1, 'it is one commit');
    all.network.breakAll();
    all.etcd.store.restore(revision);
    truth.restore(revision);
    await all.world.sleep(6_000);
    await client.finish(replica);
    assert.deepEqual(recorder.violations, []);
  });
});
