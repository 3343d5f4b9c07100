import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Queue } from '../../../../../src/lib/http/admission/queue.ts';

it('a queue returns elements in the order in which they were added, however many wait', () => {
  const queue = new Queue<{ readonly number: number }>();
  let added = 0;
  let returned = 0;
  // It grows while its first element is in the middle of its places, and later at the beginning.
  for (const [more, fewer] of [
    [50, 40],
    [300, 10],
    [5, 305],
    [64, 64],
    [128, 100],
    [1_000, 1_028],
  ] as const) {
    for (let i = 0; i < more; i++) queue.push({ number: added++ });
    for (let i = 0; i < fewer; i++) assert.equal(queue.shift()?.number, returned++);
    assert.equal(queue.length, added - returned);
  }
  assert.equal(queue.shift(), undefined);
  assert.equal(queue.length, 0);
});
