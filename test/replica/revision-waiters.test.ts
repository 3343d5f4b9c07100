import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clock } from '../../src/clock.ts';
import { RevisionWaiters } from '../../src/replica/read/revision-waiters.ts';

describe('the revisions that are waited for', () => {
  it('are those after a restore from a backup, and those that somebody waits for', async (test) => {
    let now = 0;
    test.mock.method(clock, 'now', () => now);
    const waiters = new RevisionWaiters();
    waiters.release(23);
    waiters.expect(83);
    now += 2_000;
    assert.equal(waiters.isSilent(43), true);
    waiters.expectAnew(43);
    now += 2_000;
    assert.equal(waiters.isSilent(43), false, '83 may be gone');
    const waiting = waiters.wait(60, now + 10_000);
    waiters.expectAnew(43);
    now += 2_000;
    assert.equal(waiters.isSilent(43), true, '60 was known after that');
    waiters.rejectAll(new Error('over'));
    await assert.rejects(waiting, { message: 'over' });
  });
});
