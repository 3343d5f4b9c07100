import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Client, Scheduler } from '../../../../../src/lib/http/admission/scheduler.ts';
import { NOT_YET } from '../../../../../src/lib/steps.ts';
import { turns } from '../../../../support/raw.ts';
import { within } from '../../../../support/within.ts';

const newClient = (): Client => ({ throwIfCancelled: () => {}, removeTask: undefined });

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
