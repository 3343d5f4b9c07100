import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TimeShare } from '../../src/http/time-share.ts';

function work(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

describe('TimeShare', () => {
  it('does work in the order it came, and gives back what came of it', async () => {
    const share = new TimeShare();
    const done: number[] = [];
    const doing = Array.from({ length: 10 }, (_, i) =>
      share.do(() => {
        work(0.5);
        return done.push(i);
      }),
    );
    assert.deepEqual(await Promise.all(doing), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    assert.deepEqual(done, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('lets the event loop turn between pieces', async () => {
    const share = new TimeShare();
    let turns = 0;
    const count = () => {
      turns++;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    const loop = async () => {
      for (let i = 0; i < 20; i++) await share.do(() => work(1));
    };
    await Promise.all([loop(), loop(), loop()]);
    clearImmediate(timer);
    assert(turns >= 15, `60 ms of work in 1 ms a turn, and there were only ${turns} turns`);
  });

  it('goes on after work that throws', async () => {
    const share = new TimeShare();
    const failing = share.do(() => {
      work(3);
      throw new Error('failed');
    });
    const next = share.do(() => 'next');
    await assert.rejects(failing, /failed/);
    assert.equal(await next, 'next');
  });
});
