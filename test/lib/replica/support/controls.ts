import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ReadIndex } from '../../../../src/lib/replica/read/read-index.ts';
import { StoredList } from '../../../../src/lib/replica/stored/stored-list.ts';
import { ShortLives } from '../../../replicas/support/short-lives.ts';
import { Workload } from '../../../replicas/support/workload.ts';
import { Stage } from './stage.ts';

/** The maximum number of rounds to play until a violation is found. */
const MAX_ROUNDS = 8;

/** How long clients run, in milliseconds. */
const RUN_MS = 700;

/** How long delayed events may take to arrive, in milliseconds. */
const SETTLING_MS = 300;

/** The message of the checks about a read that missed an acknowledged write. */
const STALE = /item \d+: |all items up to its last|Todo with id \d+ was not found/;

/** Their message about a create that happened twice. */
const REPEATED = /rows for \d+ creates|created twice/;

type Play = (stage: Stage, spoil: (stage: Stage) => void) => Promise<void>;

/**
 * Declares tests of the view of clients of three replicas in this process: that it is linearizable
 * despite faults, and, as negative controls, that the checks find violations in broken replicas.
 * @param where names what stores the list
 * @param portsOf returns the ports of etcd's nodes
 */
export function describeControls(
  where: string,
  portsOf: (test: TestContext) => readonly number[] | Promise<readonly number[]>,
): void {
  /** Plays once. */
  async function once(play: Play, test: TestContext, spoil: (stage: Stage) => void) {
    const stage = await Stage.start(test, await portsOf(test));
    try {
      await play(stage, spoil);
    } finally {
      await stage.end();
    }
  }

  /** Plays with broken replicas until the violation is found, since it depends on chance. */
  async function finds(
    expected: RegExp,
    play: Play,
    test: TestContext,
    spoil: (stage: Stage) => void,
  ) {
    const found: string[] = [];
    for (let round = 0; round < MAX_ROUNDS; round++) {
      test.mock.restoreAll();
      try {
        await once(play, test, spoil);
      } catch (error) {
        if (!(error instanceof assert.AssertionError)) throw error;
        if (expected.test(error.message)) return;
        found.push(error.message);
      }
    }
    assert.fail(`not found, only ${found.length} other violations: ${found.join('\n')}`);
  }

  function withoutReadIndex(test: TestContext): void {
    test.mock.method(ReadIndex.prototype, 'wait', waitForNothing);
  }

  describe(`the view of clients of three replicas on ${where}`, () => {
    it('is linearizable with late watches', (test) =>
      once(registers, test, (stage) => stage.delayWatches()));

    it('is linearizable if the watch of one replica is late', (test) =>
      once(registers, test, (stage) => stage.delayOneWatch()));

    it('is linearizable with lost responses', (test) =>
      once(registers, test, (stage) => stage.loseResponses()));

    it('is correct about missing items and conditions', async (test) => {
      await once(shortLives, test, (stage) => stage.delayWatches());
      await once(shortLives, test, (stage) => stage.delayOneWatch());
      await once(shortLives, test, (stage) => stage.loseResponses());
    });

    it('is found to be incorrect about them without the read index', (test) =>
      finds(/item \d+/, shortLives, test, (stage) => {
        withoutReadIndex(test);
        stage.delayWatches();
      }));

    it('is found not to be linearizable without the read index', (test) =>
      finds(STALE, registers, test, (stage) => {
        withoutReadIndex(test);
        stage.delayWatches();
      }));

    it('is found not to be linearizable without it even if only one watch is late', (test) =>
      finds(STALE, registers, test, (stage) => {
        withoutReadIndex(test);
        stage.delayOneWatch();
      }));

    it('is found not to be linearizable if own transactions are not recognised', (test) =>
      finds(REPEATED, registers, test, (stage) => {
        const { head } = StoredList.prototype;
        test.mock.method(StoredList.prototype, 'head', forgetful(head));
        stage.loseResponses();
      }));
  });
}

/** Makes clients write and read, and checks what they saw. */
async function registers(stage: Stage, spoil: (stage: Stage) => void): Promise<void> {
  const workload = new Workload(stage.baseUrls);
  await workload.start();
  spoil(stage);
  await workload.run(RUN_MS);
  stage.heal();
  await sleep(SETTLING_MS);
  await workload.finish();
}

/** The same with clients that delete and send conditional requests. */
async function shortLives(stage: Stage, spoil: (stage: Stage) => void): Promise<void> {
  const lives = new ShortLives(stage.baseUrls);
  spoil(stage);
  lives.start();
  await sleep(RUN_MS);
  stage.heal();
  await sleep(SETTLING_MS);
  await lives.finish();
}

async function waitForNothing(): Promise<void> {
  await sleep(1);
}

/** Takes a transaction whose response was lost for overtaken by another. */
function forgetful(read: StoredList['head']): StoredList['head'] {
  return async function (this: StoredList, deadline, at) {
    const { head, revision } = await read.call(this, deadline, at);
    return { head: head && { ...head, writers: {} }, revision };
  };
}
