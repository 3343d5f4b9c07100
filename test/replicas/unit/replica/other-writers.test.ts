import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { OtherWriters } from '../../../../src/replicas/replica/other-writers.ts';
import { Environment } from '../../simulation/environment/environment.ts';

/** The time of a commit, in milliseconds, and between two commits of others. */
const OWN_MS = 10;
const COMMIT_MS = 1;

/** OtherWriters in simulated time. */
function stage(test: TestContext) {
  const environment = new Environment(1);
  test.after(() => environment.end());
  const writers = new OtherWriters();
  const wrote = async (...names: readonly string[]) => {
    for (const name of names) {
      await environment.sleep(COMMIT_MS);
      writers.record(name);
    }
  };
  /** Measures a pause while others write. */
  const pause = async (meanwhile: readonly string[] = [], ms = OWN_MS) => {
    const start = environment.now;
    writers.ownMs = ms;
    const pause = writers.pause();
    await wrote(...meanwhile);
    await pause;
    return environment.now - start;
  };
  return { writers, wrote, pause, environment };
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
    assert.equal(await pause(['a']), 4 * OWN_MS, 'one does not write');
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
    assert.equal(await pause(), 2 * OWN_MS);
  });

  it('is as long as the slowest recent writer needs, as its token tells', async (test) => {
    const { writers, wrote, pause } = stage(test);
    await wrote('a.1', 'b.7.15', 'b.8.3');
    assert.equal(await pause([], 1), 4 * 3);
    await wrote('a.2.12');
    assert.equal(await pause([], 1), 4 * 12);
    assert.equal(await pause([], 20), 4 * 20, 'it is the slowest itself');
    writers.ownMs = 2.1;
    assert.match(writers.newToken(), /^[\w-]+\.1\.3$/);
  });

  it('follows its own commit beside writers of 4.0, and other tokens', async (test) => {
    const { wrote, pause } = stage(test);
    await wrote('a.1', 'b.1.x', 'c');
    assert.equal(await pause(), 6 * OWN_MS);
  });
});
