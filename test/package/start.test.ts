import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clock, type Timer } from '../../src/lib/clock.ts';
import { startTodoService } from '../../src/package/index.ts';

describe('a service that cannot listen', () => {
  it('leaves no timer behind, and so nothing that one holds', async (test) => {
    const other = await startTodoService();
    test.after(() => other.stop());
    const intervals = new Set<Timer | undefined>();
    const { setInterval, clear } = clock;
    test.mock.method(clock, 'setInterval', (callback: () => void, ms: number) => {
      const timer = setInterval(callback, ms);
      intervals.add(timer);
      return timer;
    });
    test.mock.method(clock, 'clear', (timer: Timer | undefined) => {
      intervals.delete(timer);
      clear(timer);
    });
    const port = Number(new URL(other.url).port);
    await assert.rejects(startTodoService({ port }), { code: 'EADDRINUSE' });
    assert.equal(intervals.size, 0);
  });
});
