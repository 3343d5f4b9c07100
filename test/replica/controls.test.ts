import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { HeadWriter, type Transaction, type WriteOutcome } from '../../src/replica/head-writer.ts';
import { ReadIndex } from '../../src/replica/read-index.ts';
import { ShortLives } from '../replicas/support/short-lives.ts';
import { Workload } from '../replicas/support/workload.ts';
import type { FakeEtcd } from './support/fake-etcd.ts';
import { fakeEtcd, startReplica, titles } from './support/replicas.ts';

/** The most rounds to play until a violation is found. */
const MAX_ROUNDS = 8;

/** How long clients run, in milliseconds. */
const RUN_MS = 700;

/** Makes clients write and read through three replicas, and checks what they saw. */
async function play(test: TestContext, spoil: (etcd: FakeEtcd) => void): Promise<void> {
  const { etcd, url } = await fakeEtcd(test);
  const replicas = await Promise.all([1, 2, 3].map(() => startReplica(test, url)));
  for (const { client } of replicas) await titles(client);
  const workload = new Workload(replicas.map(({ baseUrl }) => baseUrl));
  await workload.start();
  spoil(etcd);
  await workload.run(RUN_MS);
  etcd.faults.txn = () => undefined;
  etcd.faults.watchDelayMs = 0;
  // Lets delayed events arrive.
  await sleep(300);
  await workload.finish();
}

/** The same with clients that delete and send conditional requests. */
async function playShortLives(test: TestContext, spoil: (etcd: FakeEtcd) => void): Promise<void> {
  const { etcd, url } = await fakeEtcd(test);
  const replicas = await Promise.all([1, 2, 3].map(() => startReplica(test, url)));
  for (const { client } of replicas) await titles(client);
  const lives = new ShortLives(replicas.map(({ baseUrl }) => baseUrl));
  spoil(etcd);
  lives.start();
  await sleep(RUN_MS);
  etcd.faults.txn = () => undefined;
  etcd.faults.watchDelayMs = 0;
  await sleep(300);
  await lives.finish();
}

/** Repeats the play, since a violation depends on chance. */
async function playRepeatedly(
  playOnce: typeof play,
  test: TestContext,
  spoil: (etcd: FakeEtcd) => void,
): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    test.mock.restoreAll();
    await playOnce(test, spoil);
  }
}

/** Loses one response in five. */
function loseResponses({ faults }: FakeEtcd): void {
  let count = 0;
  faults.txn = () => (count++ % 5 === 0 ? 'lose-answer' : undefined);
}

/** Delays watches. */
function delayWatches({ faults }: FakeEtcd): void {
  faults.watchDelayMs = 200;
}

describe('the view of clients of three replicas', () => {
  it('is linearizable with late watches', (test) => play(test, delayWatches));

  it('is linearizable with lost responses', (test) => play(test, loseResponses));

  it('is correct about missing items and conditions', async (test) => {
    await playShortLives(test, delayWatches);
    await playShortLives(test, loseResponses);
  });

  it('is found to be incorrect about them without the read index', (test) =>
    assert.rejects(
      playRepeatedly(playShortLives, test, (etcd) => {
        test.mock.method(ReadIndex.prototype, 'wait', waitForNothing);
        delayWatches(etcd);
      }),
      /item \d+/,
    ));

  it('is found not to be linearizable without the read index', (test) =>
    assert.rejects(
      playRepeatedly(play, test, (etcd) => {
        test.mock.method(ReadIndex.prototype, 'wait', waitForNothing);
        delayWatches(etcd);
      }),
      /item \d+: |all items up to its last/,
    ));

  it('is found not to be linearizable if own transactions are not recognised', (test) =>
    assert.rejects(
      playRepeatedly(play, test, (etcd) => {
        const { write } = HeadWriter.prototype;
        test.mock.method(HeadWriter.prototype, 'write', forgetful(write));
        loseResponses(etcd);
      }),
      /rows for \d+ creates|created twice/,
    ));
});

async function waitForNothing(this: ReadIndex): Promise<void> {
  this.lastResponse = performance.now();
  await sleep(1);
}

/** Treats a transaction whose response was lost as overtaken by another. */
function forgetful(write: (transaction: Transaction) => Promise<WriteOutcome>) {
  return async function (this: HeadWriter, transaction: Transaction): Promise<WriteOutcome> {
    const outcome = await write.call(this, transaction);
    return outcome.isApplied && !outcome.head
      ? { isApplied: false, revision: outcome.revision }
      : outcome;
  };
}
