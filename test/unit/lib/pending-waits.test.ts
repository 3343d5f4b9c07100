import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PendingWaits } from '../../../src/lib/pending-waits.ts';
import { ManualTimers } from '../../support/clock.ts';
import { within } from '../../support/within.ts';

const HOUR_MS = 3_600_000;

describe('a wait', () => {
  it('leaves no timer behind, however it ends', async (test) => {
    const { open: timers } = new ManualTimers(test);
    const waits = new PendingWaits();
    let isOver = false;
    const wait = waits.until(() => isOver, HOUR_MS);
    const other = waits.sleep(HOUR_MS);
    assert.equal(timers.size, 2);
    isOver = true;
    waits.check();
    await within('the wait', wait);
    assert.equal(timers.size, 1);
    waits.end();
    await within('the other wait', other);
    assert.equal(timers.size, 0);
  });

  it('ends when its request does', async () => {
    const waits = new PendingWaits();
    const callbacks: (() => void)[] = [];
    const waiting = {
      wait: (end: Promise<void>) => end,
      onEnd: (callback: () => void) => callbacks.push(callback),
    };
    const gone = waits.sleep(HOUR_MS, waiting);
    for (const callback of callbacks) callback();
    await within('the wait', gone);
  });
});
