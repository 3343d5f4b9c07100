import assert from 'node:assert/strict';
import { describe, mock } from 'node:test';
import { EtcdFollower } from '../../../../src/lib/replica/read/etcd-follower.ts';
import { CommitWriter } from '../../../../src/lib/replica/write/commit-writer.ts';
import { create, titles } from '../../../support/items.ts';
import { simulated } from './stage.ts';

function fail(): never {
  throw new TypeError('the password is 12345');
}

describe('a bug', () => {
  simulated('before a write is sent is not an error of the store', async (all) => {
    const replica = all.start();
    await create(replica, 'first');
    const { revision } = all.etcd.store;
    const broken = mock.method(replica.replica.items.table, 'find', fail);
    await assert.rejects(replica.get('/api/todos/1'), /12345/);
    await assert.rejects(replica.patch('/api/todos/1', { title: 'lost' }), /12345/);
    broken.mock.restore();
    assert.equal(all.etcd.store.revision, revision);
    assert.deepEqual([replica.faults, await titles(replica)], [[], ['first']]);
  });

  simulated('in a write that may have been sent leaves its outcome open', async (all) => {
    const replica = all.start();
    await all.ready();
    const bugs: readonly (readonly [number, () => { mock: { restore(): void } }])[] = [
      [0, () => mock.method(CommitWriter.prototype, 'write', fail)],
      [1, () => mock.method(EtcdFollower.prototype, 'commit', fail)],
      // It is called for the response.
      [1, () => mock.method(replica.replica, 'listId', fail)],
    ];
    for (const [commits, breakIt] of bugs) {
      const { revision } = all.etcd.store;
      const broken = breakIt();
      const answer = await replica.post('/api/todos', { title: 'x' });
      broken.mock.restore();
      assert.match(answer.text, /"status":500.*"code":"outcome-unknown"/);
      assert(!answer.text.includes('12345'), answer.text);
      assert.equal(all.etcd.store.revision - revision, commits);
      assert.match(String(replica.faults.splice(0)), /^TypeError: the password is 12345$/);
    }
    assert.deepEqual(await titles(replica), ['x', 'x']);
    assert.equal(replica.metric('todo_store_unknown_outcomes_total'), 3);
  });

  simulated('in a reset that may have been sent leaves its outcome open', async (all) => {
    const replica = all.start();
    await create(replica, 'first');
    const broken = mock.method(EtcdFollower.prototype, 'tryToReach', fail);
    const answer = await replica.reset();
    broken.mock.restore();
    assert.match(answer.text, /"status":500.*"code":"outcome-unknown"/);
    assert.match(String(replica.faults), /^TypeError: the password is 12345$/);
    assert.deepEqual(await titles(replica), []);
  });
});
