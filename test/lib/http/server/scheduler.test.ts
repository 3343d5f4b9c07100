import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { clock } from '../../../../src/lib/clock.ts';
import { Problem } from '../../../../src/lib/http/core/problem.ts';
import { ClientMemory } from '../../../../src/lib/http/server/connection/client-memory.ts';
import {
  ClientGoneError,
  Scheduler,
} from '../../../../src/lib/http/server/connection/scheduler.ts';
import type { Steps } from '../../../../src/lib/steps.ts';
import { turns } from '../../../support/raw.ts';

const HERE = { isGone: false, setWorkBytes: () => {} };
const LIMITS = { maxTasks: 100, maxTaskWait: 60_000 };

function scheduler(limits = LIMITS): Scheduler {
  return new Scheduler(limits, new ClientMemory(Number.POSITIVE_INFINITY));
}

/** A client whose memory counts. */
function holder(memory: ClientMemory) {
  const user = {
    ...{ bytes: 0, isClosed: false, isWaiting: false, isUnread: false, isSendingSteps: false },
    quietSince: () => 0,
    disconnect: () => {},
  };
  memory.users.add(user);
  const setWorkBytes = (bytes: number) => {
    const added = bytes - user.bytes;
    user.bytes = bytes;
    memory.add(added);
  };
  return { isGone: false, setWorkBytes };
}

/** The time of a clock on which a step of work takes a tenth of a millisecond, all else nothing. */
const time = { now: 0 };

/** Work of this many steps, with a result. */
function* work<T>(steps: number, result: T): Generator<undefined, T> {
  for (let i = 0; i < steps; i++) {
    time.now += 0.1;
    yield;
  }
  return result;
}

describe('the scheduler', () => {
  beforeEach(() => {
    time.now = 0;
    mock.method(clock, 'now', () => time.now);
  });

  afterEach(() => mock.restoreAll());

  /** Counts the turns of the event loop until some work is done. */
  async function turnsUntil(running: unknown, inEachTurn: () => void): Promise<number> {
    let turns = 0;
    const turn = () => {
      turns++;
      inEachTurn();
      timer = setImmediate(turn);
    };
    let timer = setImmediate(turn);
    assert(running instanceof Promise);
    assert.equal(await running, 'done');
    clearImmediate(timer);
    return turns;
  }

  it('runs short work at once', () => {
    assert.equal(scheduler().run(work(3, 'done'), HERE), 'done');
  });

  it('runs long work in slices, and lets the event loop turn in between', async () => {
    const turns = await turnsUntil(scheduler().run(work(200, 'done'), HERE), () => {});
    assert(turns >= 15 && turns <= 25, `20 ms of work at 1 ms per turn took ${turns} turns`);
  });

  it('gives work half of a long turn, and at most three milliseconds', async () => {
    for (const [elsewhereMs, ofWorkMs] of [
      [2, 2],
      [20, 3],
    ] as const) {
      const turns = await turnsUntil(scheduler().run(work(200, 'done'), HERE), () => {
        time.now += elsewhereMs;
      });
      const least = 20 / ofWorkMs;
      const took = `20 ms of work at ${ofWorkMs} ms per turn took ${turns} turns`;
      assert(turns >= least - 1 && turns <= least + 2, took);
    }
  });

  it('runs short work soon despite much long work', async () => {
    const all = scheduler();
    const done: string[] = [];
    const long = Array.from({ length: 20 }, async () => {
      await all.run(work(100, undefined), HERE);
      done.push('long');
    });
    await turns(3);
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
    function* counted(i: number): Generator<undefined, readonly number[]> {
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
    function* failing(steps: number): Generator<undefined, never> {
      yield* work(steps, undefined);
      throw new Error('failed');
    }
    assert.throws(() => all.run(failing(0), HERE), /failed/);
    await assert.rejects(async () => all.run(failing(50), HERE), /failed/);
    assert.equal(await all.run(work(50, 'next'), HERE), 'next');
  });

  it('abandons the work of a disconnected client', async () => {
    const all = scheduler();
    const client = { ...HERE, isGone: false };
    const running = all.run(work(1_000_000, undefined), client);
    const other = all.run(work(50, 'other'), HERE);
    client.isGone = true;
    await assert.rejects(async () => running, ClientGoneError);
    assert.equal(await other, 'other');
  });

  it('closes steps that do not reach their end, whatever the reason', async () => {
    const all = scheduler({ ...LIMITS, maxTasks: 3 });
    const closed: string[] = [];
    const closing = (name: string, steps: Steps<undefined, unknown>) => ({
      next: () => steps.next(),
      close: () => closed.push(name),
    });
    function* failing(count: number): Generator<undefined, never> {
      yield* work(count, undefined);
      throw new Error('failed');
    }
    const client = { ...HERE, isGone: false };
    assert.throws(() => all.run(closing('fails at once', failing(0)), HERE), /failed/);
    const outcomes = Promise.allSettled([
      all.run(closing('oldest', work(50, undefined)), HERE),
      all.run(closing('fails', failing(50)), HERE),
      all.run(closing('gone', work(50, undefined)), client),
    ]);
    assert.throws(() => all.run(closing('too many', work(50, undefined)), HERE), Problem);
    client.isGone = true;
    assert(all.shed());
    assert((await outcomes).every(({ status }) => status === 'rejected'));
    assert.deepEqual(closed.sort(), ['fails', 'fails at once', 'gone', 'oldest', 'too many']);
    await all.run(closing('ends', work(50, undefined)), HERE);
    assert.equal(closed.length, 5);
  });

  it('refuses work past its limit, and accepts work again when there is room', async () => {
    const all = scheduler({ ...LIMITS, maxTasks: 3 });
    const running = Array.from({ length: 3 }, () => all.run(work(50, 'done'), HERE));
    assert.throws(
      () => all.run(work(50, 'too much'), HERE),
      (error) => error instanceof Problem && error.code === 'overloaded',
    );
    assert.deepEqual(await Promise.all(running), ['done', 'done', 'done']);
    assert.equal(await all.run(work(50, 'again'), HERE), 'again');
  });

  it('calls back in order, in later turns if need be, and refuses no work for that', async () => {
    const all = scheduler();
    const called: number[] = [];
    const busy = () => {
      time.now += 0.1;
    };
    const indexes = Array.from({ length: 2 * LIMITS.maxTasks }, (_, i) => i);
    for (const i of indexes) {
      all.inTurn(() => {
        busy();
        called.push(i);
      });
    }
    assert(called.length > 0 && called.length < indexes.length, `${called.length} at once`);
    assert.equal(await all.run(work(10, 'done'), HERE), 'done');
    while (called.length < indexes.length) await turns(1);
    assert.deepEqual(called, indexes);
  });

  it('refuses work that has waited too long to start', async () => {
    const all = scheduler({ ...LIMITS, maxTaskWait: 20 });
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
    const response = all.run(work(50, 'response'), HERE, false);
    const first = all.run(work(50, 'first'), HERE);
    const second = all.run(work(50, 'second'), HERE);
    assert.equal(all.shed(), true);
    await assert.rejects(
      async () => first,
      (error) => error instanceof Problem && error.code === 'overloaded',
    );
    assert.deepEqual([await own, await response, await second], ['own', 'response', 'second']);
    assert.equal(all.shed(), false);
  });

  it('never refuses work for a response that has begun', async () => {
    const all = scheduler({ maxTasks: 1, maxTaskWait: 1 });
    const long = all.run(work(200, 'long'), HERE);
    const more = Array.from({ length: 5 }, (_, i) => all.run(work(2, i), HERE, false));
    assert.throws(() => all.run(work(100, undefined), HERE), Problem);
    assert.deepEqual(await Promise.all([long, ...more]), ['long', 0, 1, 2, 3, 4]);
  });

  it('refuses new long work past the memory limit, but not what can be done at once', () => {
    const memory = new ClientMemory(10);
    holder(memory).setWorkBytes(20);
    const all = new Scheduler(LIMITS, memory);
    assert.equal(all.run(work(3, 'done'), HERE), 'done');
    assert.throws(() => all.run(work(200, 'done'), HERE), Problem);
  });

  it('counts what work holds as soon as it is accepted', async () => {
    const memory = new ClientMemory(100);
    const all = new Scheduler(LIMITS, memory);
    const holding = () => Object.assign(work(50, 'done'), { bytes: 30 });
    const running = Array.from({ length: 4 }, () => all.run(holding(), holder(memory)));
    assert.equal(memory.total, 120);
    assert.throws(
      () => all.run(holding(), HERE),
      (error) => error instanceof Problem && error.code === 'overloaded',
    );
    assert.deepEqual(await Promise.all(running), ['done', 'done', 'done', 'done']);
  });

  it('ends responses that have begun before it begins others, past the memory limit', async () => {
    const memory = new ClientMemory(100);
    const all = new Scheduler(LIMITS, memory);
    const ended: string[] = [];
    const run = async (name: string, isRefusable: boolean) => {
      time.now += 0.01;
      const steps = Object.assign(work(50, name), { bytes: 60 });
      ended.push(await all.run(steps, holder(memory), isRefusable));
    };
    const running = ['a search', 'another'].map((name) => run(name, true));
    await turns(2);
    running.push(...['a response', 'another response'].map((name) => run(name, false)));
    await Promise.all(running);
    assert.deepEqual(ended, ['a response', 'another response', 'a search', 'another']);
  });

  it('continues only the oldest work past the memory limit', async () => {
    /** Holds one more byte after each step. */
    class Growing implements Steps<undefined, number> {
      bytes = 0;
      next(): IteratorResult<undefined, number> {
        work(1, undefined).next();
        if (++this.bytes < 200) return { done: false, value: undefined };
        return { done: true, value: time.now };
      }
    }
    const memory = new ClientMemory(300);
    const all = new Scheduler(LIMITS, memory);
    const growing = Array.from({ length: 5 }, () => new Growing());
    const running = growing.map(async (each) => {
      const client = holder(memory);
      time.now += 0.01;
      const end = await all.run(each, client);
      client.setWorkBytes(0);
      return end;
    });
    let most = 0;
    const watch = () => {
      const held = growing
        .filter(({ bytes }) => bytes < 200)
        .reduce((sum, { bytes }) => sum + bytes, 0);
      most = Math.max(most, held);
      timer = setImmediate(watch);
    };
    let timer = setImmediate(watch);
    const ends = await Promise.all(running);
    clearImmediate(timer);
    assert.deepEqual(
      ends,
      [...ends].sort((a, b) => a - b),
      'they end in the order they began',
    );
    assert(most <= 500, `held ${most}, more than the limit and one of them`);
  });
});
