import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { clock } from '../../../src/lib/clock.ts';
import { EtcdClient } from '../../../src/lib/replica/etcd/client.ts';
import { StoredList } from '../../../src/lib/replica/stored/stored-list.ts';
import { CommitWriter } from '../../../src/lib/replica/write/commit-writer.ts';
import { create, fakeEtcd, startReplica, until } from './support/replicas.ts';

/** How long a turn takes, in milliseconds, and how long after another each head comes. */
const TURN_MS = 20;
const HEAD_MS = 1;

/** Writers of one list, in a time that goes on when a head comes, and to the end of each wait. */
function stage(test: TestContext) {
  const { setTimeout } = clock;
  let now = 0;
  test.mock.method(clock, 'now', () => now);
  test.mock.method(clock, 'setTimeout', (callback: () => void, ms: number) => {
    const end = now + ms;
    return setTimeout(() => {
      now = end;
      callback();
    }, 0);
  });
  const list = new StoredList(new EtcdClient({ endpoints: [] }), '/test/', 1_000);
  const [a, b, c] = [new CommitWriter(list), new CommitWriter(list), new CommitWriter(list)];
  const rest = { generation: 'g', idsAssigned: 0n, changes: 0, histories: [] };
  return {
    ...{ a, b, c },
    /** All hear of a transaction of each of these. */
    wrote: (...writers: readonly CommitWriter[]) => {
      for (const { name } of writers) {
        now += HEAD_MS;
        for (const each of [a, b, c]) each.onHead({ ...rest, writers: { [name]: 1 } });
      }
    },
    pass: (ms: number) => {
      now += ms;
    },
    /** How long a writer waits for its turn, while others write. */
    waitOf: async (writer: CommitWriter, meanwhile = () => {}, turnMs = TURN_MS) => {
      const start = now;
      const turn = writer.turn(turnMs);
      meanwhile();
      await turn;
      return now - start;
    },
  };
}

describe('the turn of a writer', () => {
  it('comes first if it has written longest ago', async (test) => {
    const { a, b, c, wrote, waitOf } = stage(test);
    wrote(a, b, c);
    assert.deepEqual([a.turnsBefore, b.turnsBefore, c.turnsBefore], [0, 1, 2]);
    assert.equal(await waitOf(a), 0);
    wrote(a);
    assert.deepEqual([a.turnsBefore, b.turnsBefore, c.turnsBefore], [2, 0, 1]);
    assert.equal(await waitOf(b), 0);
  });

  it('comes as soon as all before have written', async (test) => {
    const { a, b, c, wrote, waitOf } = stage(test);
    wrote(a, b, c);
    assert.equal(await waitOf(b, () => wrote(a)), HEAD_MS);
    assert.equal(await waitOf(a, () => wrote(b, c)), 2 * HEAD_MS);
  });

  it('comes after the time of those before, if they do not write', async (test) => {
    const { a, b, c, wrote, waitOf } = stage(test);
    wrote(a, b, c);
    assert.equal(await waitOf(b), TURN_MS);
    wrote(a, b, c);
    assert.equal(await waitOf(c, () => wrote(a)), HEAD_MS + TURN_MS, 'only b does not');
    wrote(a, b, c);
    assert.equal(await waitOf(c, () => {}, 1_000), 100, 'however long a turn takes');
  });

  it('does not wait for those that have not written for a second', async (test) => {
    const { a, b, wrote, pass, waitOf } = stage(test);
    wrote(a, b);
    pass(1_001);
    wrote(b);
    assert.equal(b.turnsBefore, 0);
    assert.equal(await waitOf(b), 0);
    assert.equal(await waitOf(a), 0, 'nor does one that has not');
  });
});

it('a replica waits for its turn after each transaction', async (test) => {
  const { url } = await fakeEtcd(test);
  const { client } = await startReplica(test, url);
  const { mock } = test.mock.method(CommitWriter.prototype, 'turn');
  for (let count = 1; count <= 2; count++) {
    await create(client, 'x');
    await until('it waits', () => mock.callCount() >= count);
  }
});
