import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '../../../src/http/core/problem.ts';
import type { Work } from '../../../src/http/core/work.ts';
import { HeldMemory } from '../../../src/http/server/held-memory.ts';
import { ClientGoneError, Scheduler } from '../../../src/http/server/scheduler.ts';

const HERE = { isGone: false };
const LIMITS = { maxWork: 100, maxWorkWait: 60_000 };

function scheduler(limits = LIMITS, heldBytes = Number.POSITIVE_INFINITY): Scheduler {
  return new Scheduler(limits, new HeldMemory(heldBytes));
}

/** Work of this many steps of a tenth of a millisecond, with a result. */
function* work<T>(steps: number, result: T): Generator<void, T> {
  for (let i = 0; i < steps; i++) {
    for (const end = performance.now() + 0.1; performance.now() < end; );
    yield;
  }
  return result;
}

describe('the scheduler', () => {
  it('runs short work at once', (test) => {
    test.mock.method(performance, 'now', () => 0);
    function* short(): Generator<void, string> {
      yield;
      yield;
      return 'done';
    }
    assert.equal(scheduler().run(short(), HERE), 'done');
  });

  it('runs long work in slices, and lets the event loop turn in between', async () => {
    const running = scheduler().run(work(200, 'done'), HERE);
    let turns = 0;
    const count = () => {
      turns++;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    assert(running instanceof Promise);
    assert.equal(await running, 'done');
    clearImmediate(timer);
    assert(turns >= 10, `20 ms of work at about 1 ms per turn took ${turns} turns`);
  });

  it('gives work half of a long turn', async (test) => {
    let now = 0;
    test.mock.method(performance, 'now', () => now);
    function* long(): Generator<void, string> {
      for (let i = 0; i < 200; i++) {
        now += 0.1;
        yield;
      }
      return 'done';
    }
    const running = scheduler().run(long(), HERE);
    let turns = 0;
    const beBusy = () => {
      turns++;
      now += 5;
      timer = setImmediate(beBusy);
    };
    let timer = setImmediate(beBusy);
    assert.equal(await running, 'done');
    clearImmediate(timer);
    assert(turns <= 6, `20 ms of work at 5 ms per turn took ${turns} turns`);
  });

  it('runs short work soon despite much long work', async () => {
    const all = scheduler();
    const done: string[] = [];
    const long = Array.from({ length: 20 }, async () => {
      await all.run(work(100, undefined), HERE);
      done.push('long');
    });
    await sleep(5);
    const short = Array.from({ length: 5 }, async () => {
      await all.run(work(1, undefined), HERE);
      done.push('short');
    });
    await Promise.all([...long, ...short]);
    assert.deepEqual(done.slice(0, 5), Array(5).fill('short'));
  });

  it('gives all long work its share', async () => {
    const all = scheduler();
    const steps = [0, 0, 0, 0];
    function* counted(i: number): Generator<void, readonly number[]> {
      for (const _ of work(100, undefined)) {
        steps[i] = (steps[i] ?? 0) + 1;
        yield;
      }
      return [...steps];
    }
    const [whenFirstEnded = []] = await Promise.all(steps.map((_, i) => all.run(counted(i), HERE)));
    for (const count of whenFirstEnded) assert(count > 50, `steps: ${whenFirstEnded}`);
  });

  it('passes on what work throws, at once or later, and continues', async () => {
    const all = scheduler();
    function* failing(steps: number): Generator<void, never> {
      yield* work(steps, undefined);
      throw new Error('failed');
    }
    assert.throws(() => all.run(failing(0), HERE), /failed/);
    await assert.rejects(async () => all.run(failing(50), HERE), /failed/);
    assert.equal(await all.run(work(50, 'next'), HERE), 'next');
  });

  it('abandons the work of a disconnected client', async () => {
    const all = scheduler();
    const client = { isGone: false };
    const running = all.run(work(1_000_000, undefined), client);
    const other = all.run(work(50, 'other'), HERE);
    client.isGone = true;
    await assert.rejects(async () => running, ClientGoneError);
    assert.equal(await other, 'other');
  });

  it('refuses work past its limit, and accepts work again when there is room', async () => {
    const all = scheduler({ ...LIMITS, maxWork: 3 });
    const running = Array.from({ length: 3 }, () => all.run(work(50, 'done'), HERE));
    assert.throws(
      () => all.run(work(50, 'too much'), HERE),
      (error) => error instanceof Problem && error.code === 'overloaded',
    );
    assert.deepEqual(await Promise.all(running), ['done', 'done', 'done']);
    assert.equal(await all.run(work(50, 'again'), HERE), 'again');
  });

  it('refuses work that has waited too long to start', async () => {
    const all = scheduler({ ...LIMITS, maxWorkWait: 20 });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 100 }, async () => all.run(work(10, 'done'), HERE)),
    );
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    assert(refused.length > 0 && refused.length < 100, `${refused.length} of 100`);
    for (const { reason } of refused as PromiseRejectedResult[]) {
      assert(reason instanceof Problem && reason.code === 'overloaded');
      assert.match(reason.headers['Retry-After'] ?? '', /^\d+$/);
    }
  });

  it('refuses the oldest work of requests on demand, unless the response has begun', async () => {
    const all = scheduler();
    const own = all.run(work(50, 'own'));
    const response = all.proceed(work(50, 'response'), HERE);
    const first = all.run(work(50, 'first'), HERE);
    const second = all.run(work(50, 'second'), HERE);
    assert.equal(all.refuseOldest(), true);
    await assert.rejects(
      async () => first,
      (error) => error instanceof Problem && error.code === 'overloaded',
    );
    assert.deepEqual([await own, await response, await second], ['own', 'response', 'second']);
    assert.equal(all.refuseOldest(), false);
  });

  it('never refuses work for a response that has begun', async () => {
    const all = scheduler({ maxWork: 1, maxWorkWait: 1 });
    const long = all.run(work(200, 'long'), HERE);
    const more = Array.from({ length: 5 }, (_, i) => all.proceed(work(2, i), HERE));
    assert.throws(() => all.run(work(100, undefined), HERE), Problem);
    assert.deepEqual(await Promise.all([long, ...more]), ['long', 0, 1, 2, 3, 4]);
  });

  it('continues only the oldest work past the memory limit', async () => {
    /** Holds one more byte after each step. */
    class Growing implements Work<number> {
      bytes = 0;
      next(): IteratorResult<undefined, number> {
        work(1, undefined).next();
        if (++this.bytes < 200) return { done: false, value: undefined };
        return { done: true, value: performance.now() };
      }
    }
    const all = scheduler(LIMITS, 300);
    const growing = Array.from({ length: 5 }, () => new Growing());
    const running = growing.map((each) => all.run(each, HERE));
    let most = 0;
    const watch = setInterval(() => {
      const held = growing
        .filter(({ bytes }) => bytes < 200)
        .reduce((sum, { bytes }) => sum + bytes, 0);
      most = Math.max(most, held);
    }, 1);
    const ends = await Promise.all(running);
    clearInterval(watch);
    assert.deepEqual(
      ends,
      [...ends].sort((a, b) => a - b),
      'they end in the order they began',
    );
    assert(most <= 500, `held ${most}, more than the limit and one of them`);
  });
});
