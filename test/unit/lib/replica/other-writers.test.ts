import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { OtherWriters } from '../../../../src/lib/replica/other-writers.ts';
import { Environment } from '../../../system/simulation/environment/environment.ts';

/** The time for another writer, in milliseconds, and between two commits. */
const TURN_MS = 20;
const COMMIT_MS = 1;

/** OtherWriters in simulated time. */
function stage(test: TestContext) {
  const environment = new Environment(1);
  test.after(() => environment.end());
  const writers = new OtherWriters();
  const wrote = async (...names: readonly string[]) => {
    for (const name of names) {
      await environment.sleep(COMMIT_MS);
      writers.record(`${name}.1`);
    }
  };
  /** Measures a pause while others write. */
  const pause = async (meanwhile: readonly string[] = [], ms = TURN_MS) => {
    const start = environment.now;
    const pause = writers.pause(ms);
    await wrote(...meanwhile);
    await pause;
    return environment.now - start;
  };
  return { wrote, pause, environment };
}

describe('the pause of a writer', () => {
  it('is none without other writers', async (test) => {
    const { pause } = stage(test);
    assert.equal(await pause(), 0);
  });

  it('ends when each other recent writer has had a commit', async (test) => {
    const { wrote, pause } = stage(test);
    await wrote('a', 'b');
    assert.equal(await pause(['a', 'b']), 2 * COMMIT_MS);
    assert.equal(await pause(['a']), 2 * TURN_MS, 'one does not write');
  });

  it('has a limit, however many writers there are', async (test) => {
    const { wrote, pause } = stage(test);
    await wrote('a', 'b');
    assert.equal(await pause([], 1_000), 100);
  });

  it('ignores writers that have not written for a second', async (test) => {
    const { wrote, pause, environment } = stage(test);
    await wrote('a', 'b');
    await environment.sleep(1_001);
    await wrote('b');
    assert.equal(await pause(), TURN_MS);
  });
});
