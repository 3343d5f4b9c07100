import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { clock } from '../../../../../src/lib/clock.ts';
import { Problem } from '../../../../../src/lib/http/core/problem.ts';
import { ClientMemory } from '../../../../../src/lib/http/server/connection/client-memory.ts';
import {
  ClientGoneError,
  Scheduler,
} from '../../../../../src/lib/http/server/connection/scheduler.ts';
import type { Steps } from '../../../../../src/lib/steps.ts';
import { turns } from '../../../../support/raw.ts';
import { turnsUntil } from '../../../../support/within.ts';

const HERE = { isDisconnected: false, isBegun: false };
const BEGUN = { isDisconnected: false, isBegun: true };
const MAX_TASKS = 100;

function scheduler(maxTasks = MAX_TASKS): Scheduler {
  return new Scheduler(maxTasks, new ClientMemory(Number.POSITIVE_INFINITY));
}

/** Makes steps count as memory of a client that is being served. */
function count(memory: ClientMemory, steps: { readonly bytes: number }): void {
  memory.users.add({
    ...{ isClosed: false, isWaiting: false, isUnread: false, isSending: true },
    get bytes() {
      return steps.bytes;
    },
    quietMs: () => 0,
    disconnect: () => {},
  });
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
  async function turnsDuring(running: unknown, inEachTurn: () => void): Promise<number> {
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

  it('runs long work in slices, and lets the event loop turn in between', async () => {
    const turns = await turnsDuring(scheduler().run(work(200, 'done'), HERE), () => {});
    assert(turns >= 15 && turns <= 25, `20 ms of work at 1 ms per turn took ${turns} turns`);
  });

  it('gives work half of a long turn, and at most three milliseconds', async () => {
    for (const [elsewhereMs, ofWorkMs] of [
      [2, 2],
      [20, 3],
    ] as const) {
      const turns = await turnsDuring(scheduler().run(work(200, 'done'), HERE), () => {
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

  it('closes steps that do not reach their end, whatever the reason', async () => {
    const all = scheduler(3);
    const closed: string[] = [];
    const closing = (name: string, steps: Steps<undefined, unknown>) => ({
      next: () => steps.next(),
      close: () => closed.push(name),
    });
    function* failing(count: number): Generator<undefined, never> {
      yield* work(count, undefined);
      throw new Error('failed');
    }
    const client = { ...HERE };
    assert.throws(() => all.run(closing('fails at once', failing(0)), HERE), /failed/);
    const outcomes = Promise.allSettled([
      all.run(closing('fails later', failing(80)), HERE),
      all.run(closing('fails', failing(50)), HERE),
      assert.rejects(async () => {
        await all.run(closing('gone', work(1_000_000, undefined)), client);
      }, ClientGoneError),
    ]);
    assert.throws(() => all.run(closing('too many', work(50, undefined)), HERE), Problem);
    client.isDisconnected = true;
    const statuses = (await outcomes).map(({ status }) => status);
    assert.deepEqual(statuses, ['rejected', 'rejected', 'fulfilled']);
    assert.deepEqual(closed.sort(), ['fails', 'fails at once', 'fails later', 'gone', 'too many']);
    await all.run(closing('ends', work(50, undefined)), HERE);
    assert.equal(closed.length, 5);
  });

  it('refuses work past its limit, and accepts work again when there is room', async () => {
    const all = scheduler(3);
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
    const indexes = Array.from({ length: 2 * MAX_TASKS }, (_, i) => i);
    for (const i of indexes) {
      all.runCallback(() => {
        busy();
        called.push(i);
      });
    }
    assert(called.length > 0 && called.length < indexes.length, `${called.length} at once`);
    assert.equal(await all.run(work(10, 'done'), HERE), 'done');
    await turnsUntil('it has called all', () => called.length >= indexes.length);
    assert.deepEqual(called, indexes);
  });

  it('never refuses work for a response that has begun', async () => {
    const all = scheduler(1);
    const long = all.run(work(200, 'long'), HERE);
    const more = Array.from({ length: 5 }, (_, i) => all.run(work(2, i), BEGUN));
    assert.throws(() => all.run(work(100, undefined), HERE), Problem);
    assert.deepEqual(await Promise.all([long, ...more]), ['long', 0, 1, 2, 3, 4]);
  });

  it('refuses new long work past the memory limit, but not work of one step', () => {
    const memory = new ClientMemory(10);
    count(memory, { bytes: 20 });
    memory.check();
    const all = new Scheduler(MAX_TASKS, memory);
    assert.equal(all.run(work(3, 'done'), HERE), 'done');
    assert.throws(() => all.run(work(200, 'done'), HERE), Problem);
  });
});
