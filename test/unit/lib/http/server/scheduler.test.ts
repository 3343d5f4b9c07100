import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Scheduler } from '../../../../../src/lib/http/server/scheduler.ts';
import { NOT_YET } from '../../../../../src/lib/steps.ts';
import { turns } from '../../../../support/raw.ts';
import { within } from '../../../../support/within.ts';

it('a callback that waits for a turn with time left is called, unless it is cancelled', async () => {
  const scheduler = new Scheduler();
  const called: string[] = [];
  let isOver = false;
  // It takes all time of each turn.
  const endless = scheduler.run<void>({
    next: () => (isOver ? { done: true, value: undefined } : NOT_YET),
  });
  await turns(1);
  while (scheduler.call(() => {}) === undefined);
  const cancel = scheduler.call(() => called.push('cancelled'));
  scheduler.call(() => called.push('kept'));
  assert.deepEqual(called, [], 'both wait');
  cancel?.();
  isOver = true;
  await within('the end of the task', endless);
  await turns(5);
  assert.deepEqual(called, ['kept']);
});
