import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { EtcdFollower } from '../../../../src/lib/replica/read/etcd-follower.ts';
import { CommitWriter } from '../../../../src/lib/replica/write/commit-writer.ts';
import { assertProblem } from '../../../api/suite.ts';
import { itemPath, LIST } from '../../../support/paths.ts';
import { create, fakeEtcd, startReplica, titles, waitPatiently } from './support/replicas.ts';

const SECRET = 'the password is 12345';

function fail(): never {
  throw new TypeError(SECRET);
}

/** A replica with one item, and the stacks that it has logged. */
async function stage(test: TestContext) {
  const { etcd, url } = await fakeEtcd(test);
  const stacks: string[] = [];
  const log = (level: string, _: string, { stack }: { stack?: unknown } = {}) => {
    if (level === 'error') stacks.push(String(stack));
  };
  const replica = await startReplica(test, url, { log });
  await create(replica.client, 'first');
  return { ...replica, etcd, stacks };
}

describe('a fault of our own', () => {
  waitPatiently();

  it('in a read, or in a write before it is sent, is 500 and in the log', async (test) => {
    const { client, items, etcd, stacks, faults } = await stage(test);
    const { revision } = etcd.store;
    const mocked = test.mock.method(items.table, 'find', fail);
    for (const answer of [
      await client.get(itemPath(1)),
      await client.patch(itemPath(1), { title: 'lost' }),
    ]) {
      assertProblem(answer, 500, 'internal-error');
      assert(!answer.text.includes('12345'), answer.text);
    }
    assert.deepEqual(
      stacks.map((stack) => stack.split('\n')[0]),
      ['TypeError: the password is 12345', 'TypeError: the password is 12345'],
    );
    assert.equal(etcd.store.revision, revision);
    assert.deepEqual(faults, []);
    mocked.mock.restore();
    assert.deepEqual(await titles(client), ['first']);
  });

  it('in a write that may have been sent leaves its outcome open', async (test) => {
    const { client, etcd, faults, replica } = await stage(test);
    const wrong: readonly (readonly [number, () => { mock: { restore(): void } }])[] = [
      [0, () => test.mock.method(CommitWriter.prototype, 'write', fail)],
      [1, () => test.mock.method(EtcdFollower.prototype, 'commit', fail)],
      // It is called for the response.
      [1, () => test.mock.method(replica, 'listId', fail)],
    ];
    for (const [commits, breakIt] of wrong) {
      const before = etcd.commits;
      const mocked = breakIt();
      const answer = await client.post(LIST, { title: 'x' });
      mocked.mock.restore();
      assertProblem(answer, 500, 'outcome-unknown');
      assert(!answer.text.includes('12345'), answer.text);
      assert.equal(etcd.commits - before, commits);
      assert.match(String(faults.splice(0)), /^TypeError: the password is 12345$/);
    }
    assert.deepEqual(await titles(client), ['first', 'x', 'x']);
    assert.equal(replica.stats()?.unknownOutcomes, 3);
  });

  it('in a reset that may have been sent does so, too', async (test) => {
    const { client, faults, replica } = await stage(test);
    const mocked = test.mock.method(EtcdFollower.prototype, 'tryToReach', fail);
    const headers = { authorization: 'Bearer secret' };
    const answer = await client.request('POST', '/admin/reset', { headers });
    mocked.mock.restore();
    assertProblem(answer, 500, 'outcome-unknown');
    assert.match(String(faults), /^TypeError: the password is 12345$/);
    assert.equal(replica.stats()?.unknownOutcomes, 1);
    assert.deepEqual(await titles(client), []);
  });
});
