import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ReadIndex } from '../../../src/lib/replica/read/read-index.ts';
import { StoredList } from '../../../src/lib/replica/stored/stored-list.ts';
import { Workload } from '../../replicas/support/workload.ts';
import type { FakeEtcd } from './support/fake-etcd.ts';
import { fakeEtcd, startReplica, titles } from './support/replicas.ts';

/** The maximum number of rounds to play until a violation is found, since it depends on chance. */
const MAX_ROUNDS = 8;

/** How long clients run, and how late events may still arrive afterwards, in milliseconds. */
const RUN_MS = 700;
const SETTLING_MS = 300;

/** The message of the checks about a read that missed an acknowledged write. */
const STALE = /item \d+: |all items up to its last|Todo with id \d+ was not found/;

/** Their message about a create that happened twice. */
const REPEATED = /rows for \d+ creates|created twice/;

const delayWatches = ({ faults }: FakeEtcd) => {
  faults.watchDelayMs = 200;
};

const loseResponses = ({ faults }: FakeEtcd) => {
  faults.txn = () => (Math.random() < 0.2 ? 'lose-answer' : undefined);
};

/** Lets clients write and read through three replicas, and checks what they saw. */
async function play(test: TestContext, spoil: (etcd: FakeEtcd) => void): Promise<void> {
  const { etcd, url } = await fakeEtcd(test);
  const replicas = await Promise.all([0, 1, 2].map(() => startReplica(test, url)));
  for (const { client } of replicas) await titles(client);
  const workload = new Workload(replicas.map(({ baseUrl }) => baseUrl));
  try {
    await workload.start();
    spoil(etcd);
    await workload.run(RUN_MS);
    etcd.faults.watchDelayMs = 0;
    etcd.faults.txn = () => undefined;
    await sleep(SETTLING_MS);
    await workload.finish();
  } finally {
    await Promise.all(replicas.map((replica) => replica.stop()));
  }
}

async function finds(expected: RegExp, test: TestContext, spoil: (etcd: FakeEtcd) => void) {
  const found: string[] = [];
  for (let round = 0; round < MAX_ROUNDS; round++) {
    try {
      await play(test, spoil);
    } catch (error) {
      if (!(error instanceof assert.AssertionError)) throw error;
      if (expected.test(error.message)) return;
      found.push(error.message);
    }
  }
  assert.fail(`not found, only ${found.length} other violations: ${found.join('\n')}`);
}

/** What clients of a real etcd check (test/replicas) finds nothing, and what is wrong. */
describe('the view of clients of three replicas', () => {
  it('is linearizable with late watches', (test) => play(test, delayWatches));

  it('is linearizable with lost responses', (test) => play(test, loseResponses));

  it('is found not to be linearizable without the read index', async (test) => {
    test.mock.method(ReadIndex.prototype, 'wait', () => sleep(1));
    await finds(STALE, test, delayWatches);
  });

  it('is found not to be linearizable if own transactions are not recognised', async (test) => {
    const { head } = StoredList.prototype;
    test.mock.method(StoredList.prototype, 'head', async function (
      this: StoredList,
      ...args: Parameters<typeof head>
    ) {
      const answer = await head.apply(this, args);
      return { ...answer, head: answer.head && { ...answer.head, writers: {} } };
    } satisfies typeof head);
    await finds(REPEATED, test, loseResponses);
  });
});
