import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Scheduler, type TaskOwner } from '../../../../../src/lib/http/admission/scheduler.ts';
import { NOT_YET } from '../../../../../src/lib/steps.ts';
import { ManualClock } from '../../../../support/clock.ts';
import { turns } from '../../../../support/raw.ts';
import { within } from '../../../../support/within.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const newClient = (): TaskOwner => ({ throwIfCancelled: () => {}, removeTask: undefined });

it('work that waits for a turn with time left runs then, unless its client has gone', async () => {
  const scheduler = new Scheduler();
  const run: string[] = [];
  let isOver = false;
  // It takes all time of each turn.
  const endless = scheduler.run<void>({
    next: () => (isOver ? { done: true, value: undefined } : NOT_YET),
  });
  await turns(1);
  let closed = 0;
  const work = (name: string) => ({
    next: () => ({ done: true, value: run.push(name) }) as const,
    close: () => closed++,
  });
  const [gone, kept] = [newClient(), newClient()];
  while (kept.removeTask === undefined) void scheduler.run(work('first'), kept);
  run.length = 0;
  const removed = scheduler.run(work('gone'), gone);
  const served = scheduler.run(work('kept'), newClient());
  assert.deepEqual(run, [], 'both wait');
  gone.removeTask?.();
  await assert.rejects(within('the removed one', removed), { name: 'ClientGoneError' });
  assert.equal(closed, 1, 'its steps are closed at once');
  isOver = true;
  await within('the end of the endless task', endless);
  await within('the other one', served);
  assert.deepEqual(run, ['first', 'kept']);
});

it('work whose client has gone stays in the queue without what it refers to', async (test) => {
  const scheduler = new Scheduler();
  let isOver = false;
  test.after(() => {
    isOver = true;
  });
  /** Each takes more than a turn, so that the queue goes round once in many turns. */
  const next = () => {
    const end = performance.now() + 3;
    while (performance.now() < end);
    return isOver ? ({ done: true, value: undefined } as const) : NOT_YET;
  };
  const tasks = Array.from({ length: 30 }, () => scheduler.run<void>({ next }));
  const refs = leave(scheduler);
  await turns(2);
  collectGarbage();
  assert.deepEqual(
    refs.map((ref) => ref.deref()),
    [undefined, undefined],
  );
  isOver = true;
  await within('the end of the tasks', Promise.all(tasks));
});

/** Queues work of a client that then goes. @returns what the work and the client have */
function leave(scheduler: Scheduler): readonly WeakRef<object>[] {
  const client = newClient();
  const kept = { text: 'x' };
  const next = () => ({ done: true, value: kept }) as const;
  scheduler.run({ next }, client).catch(() => {});
  client.removeTask?.();
  return [new WeakRef(kept), new WeakRef(client)];
}

it('a callback is called in a later turn, unless it is cancelled, and then kept no longer', async () => {
  const scheduler = new Scheduler();
  const called: string[] = [];
  const callbackOf = (name: string) => {
    const callback = () => called.push(name);
    return { cancel: scheduler.callSoon(callback), kept: new WeakRef(callback) };
  };
  const callbacks = ['first', 'second', 'third'].map(callbackOf);
  callbacks[1]?.cancel();
  assert.deepEqual(called, []);
  await turns(5);
  assert.deepEqual(called, ['first', 'third']);
  collectGarbage();
  assert.deepEqual(
    callbacks.map(({ kept }) => kept.deref()),
    [undefined, undefined, undefined],
  );
});

it('callbacks share a turn until they have taken a millisecond', async (test) => {
  const time = new ManualClock(test);
  const scheduler = new Scheduler();
  const called: number[] = [];
  for (const ms of [0, 0.5, 0.25, 0.25, 0]) {
    scheduler.callSoon(() => {
      time.skip(ms);
      called.push(ms);
    });
  }
  await turns(1);
  assert.deepEqual(called, [0, 0.5, 0.25, 0.25], 'the last one has no time left');
  await turns(1);
  assert.equal(called.length, 5);
});
