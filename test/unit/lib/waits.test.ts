import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Waits } from '../../../src/lib/waits.ts';

const HOUR_MS = 3_600_000;

describe('a wait', () => {
  it('ends once what it is for is so, and not at all before', async () => {
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

  it('tells who waits why it has ended, and ends with it', async () => {
    const waits = new Waits();
    const callbacks: (() => void)[] = [];
    const waiting = {
      wait: (end: Promise<void>) => end,
      onEnd: (callback: () => void) => callbacks.push(callback),
    };
    const gone = waits.sleep(HOUR_MS, waiting);
    for (const callback of callbacks.splice(0)) callback();
    await gone;
    const refused = waits.sleep(HOUR_MS, waiting);
    const unknown = waits.sleep(HOUR_MS);
    const reason = new Error('it begins again');
    waits.end(reason);
    await assert.rejects(refused, reason);
    await unknown;
  });
});
