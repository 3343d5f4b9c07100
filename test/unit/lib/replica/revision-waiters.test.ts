import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clock } from '../../../../src/lib/clock.ts';
import { StoreError } from '../../../../src/lib/replica/errors.ts';
import { RevisionWaiters } from '../../../../src/lib/replica/read/revision-waiters.ts';

describe('the revisions that are waited for', () => {
  it('are missing only as long as they exist: not after a restore from a backup', async (test) => {
    let now = 0;
    test.mock.method(clock, 'now', () => now);
    const waiters = new RevisionWaiters();
    waiters.release(23);
    waiters.noteRevision(83, 23);
    now += 2_000;
    assert.equal(waiters.isSilent(43), true);
    assert.equal(waiters.lag, 60);
    waiters.noteRevision(43, 43);
    assert.equal(waiters.isSilent(43), false, '83 may be gone');
    const waiting = waiters.wait(60, now + 10_000);
    waiters.noteRevision(60, 43);
    now += 1_000;
    assert.equal(waiters.isSilent(43), true, '60 is the last one by now');
    waiters.rejectAll(new StoreError('over'));
    await assert.rejects(waiting, { message: 'over' });
    assert.equal(waiters.isSilent(43), false, 'it will not come');
  });

  it('are missing however high was what a restore has lost', (test) => {
    let now = 0;
    test.mock.method(clock, 'now', () => now);
    const waiters = new RevisionWaiters();
    waiters.release(339);
    waiters.noteRevision(336, 336);
    for (let probes = 0; probes < 2; probes++) {
      assert.equal(waiters.isSilent(336), false);
      waiters.noteRevision(337, 336);
      now += 500;
    }
    assert.equal(waiters.isSilent(336), true);
  });

  it('may take a while after the first of them is known', (test) => {
    let now = 0;
    test.mock.method(clock, 'now', () => now);
    const waiters = new RevisionWaiters();
    waiters.release(23);
    now += 60_000;
    waiters.noteRevision(24, 23);
    now += 900;
    assert.equal(waiters.isSilent(23), false);
    waiters.noteRevision(25, 23);
    now += 200;
    assert.equal(waiters.isSilent(23), true);
  });
});
