import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Waits } from '../../../src/lib/waits.ts';

const HOUR_MS = 3_600_000;

describe('a wait', () => {
  it('ends when its check is true, and not before', async () => {
    const waits = new Waits();
    let isOver = false;
    let hasEnded = false;
    const wait = waits
      .until(() => isOver)
      .then(() => {
        hasEnded = true;
      });
    waits.check();
    await Promise.resolve();
    assert.equal(hasEnded, false);
    isOver = true;
    waits.check();
    await wait;
    await waits.until(() => true);
  });

  it('ends with all others; later ones end at once', async () => {
    const waits = new Waits();
    const both = Promise.all([waits.sleep(HOUR_MS), waits.until(() => false)]);
    waits.end();
    await both;
    assert.equal(waits.hasEnded, true);
    await waits.sleep(HOUR_MS);
  });

  it('ends when its request does', async () => {
    const waits = new Waits();
    const callbacks: (() => void)[] = [];
    const waiting = {
      wait: (end: Promise<void>) => end,
      onEnd: (callback: () => void) => callbacks.push(callback),
    };
    const gone = waits.sleep(HOUR_MS, waiting);
    for (const callback of callbacks) callback();
    await gone;
  });
});
