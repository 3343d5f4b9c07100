import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { clock } from '../../../../src/lib/clock.ts';
import { OtherWriters } from '../../../../src/lib/replica/other-writers.ts';

/** The time for another writer, in milliseconds, and between two commits. */
const TURN_MS = 20;
const COMMIT_MS = 1;

/** OtherWriters in a time that advances with each commit, and to the end of each pause. */
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
  const writers = new OtherWriters();
  const wrote = (...names: readonly string[]) => {
    for (const name of names) {
      now += COMMIT_MS;
      writers.record(`${name}.1`);
    }
  };
  return {
    wrote,
    pass: (ms: number) => {
      now += ms;
    },
    /** Measures a pause while others write. */
    pause: async (meanwhile: readonly string[] = [], ms = TURN_MS) => {
      const start = now;
      const pause = writers.pause(ms);
      wrote(...meanwhile);
      await pause;
      return now - start;
    },
  };
}

describe('the pause of a writer', () => {
  it('is none without other writers', async (test) => {
    const { pause } = stage(test);
    assert.equal(await pause(), 0);
  });

  it('ends when each other recent writer has had a commit', async (test) => {
    const { wrote, pause } = stage(test);
    wrote('a', 'b');
    assert.equal(await pause(['a', 'b']), 2 * COMMIT_MS);
    assert.equal(await pause(['a']), 2 * TURN_MS, 'one does not write');
  });

  it('has a limit, however many writers there are', async (test) => {
    const { wrote, pause } = stage(test);
    wrote('a', 'b');
    assert.equal(await pause([], 1_000), 100);
  });

  it('ignores writers that have not written for a second', async (test) => {
    const { wrote, pass, pause } = stage(test);
    wrote('a', 'b');
    pass(1_001);
    wrote('b');
    assert.equal(await pause(), TURN_MS);
  });
});
