import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Steps } from '../../../../src/lib/steps.ts';
import { Items, type Run } from '../../../../src/service/store/items.ts';
import { memoryStore } from '../../../../src/service/store/memory-store.ts';
import { Resets } from '../../../../src/service/test-double/reset.ts';
import { rulesOf } from '../../../../src/service/todo/all-variants.ts';
import { variantB } from '../../../../src/service/todo/variant-b.ts';

const ITEMS = ['one', 'two', 'three'].map((title) => ({ title }));

/** Runs steps one by one, on demand. */
function stepwise() {
  const running: { step(): boolean }[] = [];
  const run: Run = <T>(steps: Steps<unknown, T>) =>
    new Promise<T>((resolve) => {
      running.push({
        step: () => {
          const { done, value } = steps.next();
          if (done) resolve(value);
          return done === true;
        },
      });
    });
  return { running, run };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('a reset', () => {
  const all = (items: Items) => items.table.search();

  it('is prepared in steps; a write meanwhile precedes it', async () => {
    const items = new Items(variantB.fields, {}, ITEMS);
    const commits: boolean[] = [];
    items.table.onCommit(({ isReplacement }) => commits.push(isReplacement));
    const { running, run } = stepwise();
    const store = memoryStore(items, run);
    commits.length = 0;
    const reset = store.reset();
    const [work] = running;
    assert(work);
    let steps = 1;
    for (; !work.step(); steps++) {
      const { id } = items.create({ title: 'meanwhile' });
      assert.equal(id, 3 + steps, 'the previous items are in effect until then');
    }
    await reset;
    assert(steps >= ITEMS.length);
    assert.deepEqual(
      all(items).map(({ id, title }) => ({ id, title })),
      ITEMS.map(({ title }, i) => ({ id: i + 1, title })),
    );
    assert.deepEqual(commits, [...Array.from({ length: steps - 1 }, () => false), true]);
    assert.equal(items.create({ title: 'next' }).id, 4);
  });

  it('waits for the previous one, which may fail', async () => {
    const items = new Items(variantB.fields, {}, ITEMS);
    const { running, run } = stepwise();
    const failure = new Error('overloaded');
    const runs: Run[] = [
      () => {
        throw failure;
      },
    ];
    const store = memoryStore(items, (steps) => (runs.shift() ?? run)(steps));
    const resets = new Resets(store, rulesOf(variantB, true), {
      seedFile: undefined,
      lastRequestNumber: () => 0,
    });
    let parsed = 0;
    const [failed, second, third] = [
      resets.reset(),
      resets.reset(),
      resets.resetByRequest(() => {
        parsed++;
        return undefined;
      }),
    ];
    await assert.rejects(failed, failure);
    await turn();
    assert.deepEqual([running.length, parsed], [1, 0], 'only one is prepared at a time');
    while (!running[0]?.step());
    await second;
    items.create({ title: 'between' });
    await turn();
    assert.equal(running.length, 2);
    while (!running[1]?.step());
    await third;
    assert.equal(all(items).length, ITEMS.length);
  });
});
