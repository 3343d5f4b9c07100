import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { create } from '../../../support/items.ts';
import { Checker } from '../load/checker.ts';
import { StoredHistory } from '../load/stored-history.ts';
import { StreamClient } from '../load/stream-client.ts';
import { simulated } from './stage.ts';

describe('a client of the event stream', () => {
  simulated('that leaves within a commit has nothing of it if a restore loses it', async (all) => {
    const history = new StoredHistory();
    const checker = new Checker(all, history);
    const client = new StreamClient(all, history, checker);
    all.etcd.onWrite = history.note;
    const replica = all.start();
    await all.ready();
    for (const title of ['one', 'two']) await create(replica, title);
    const { revision } = all.etcd.store;
    let leaves = false;
    const following = client.run(() => leaves);
    await all.sleep(500);
    leaves = true;
    assert.equal((await replica.delete('/api/todos?completed=false')).status, 200);
    await following;
    assert.equal(all.etcd.store.revision, revision + 1, 'it is one commit');
    all.network.breakAll();
    all.etcd.store.restore(revision);
    history.restore(revision);
    await all.sleep(6_000);
    await client.finish(replica);
    assert.deepEqual(checker.violations, []);
  });
});
