import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import type { Steps } from '../../../../src/lib/steps.ts';
import type { NonEmpty } from '../../../../src/lib/table/index.ts';
import { Items } from '../../../../src/service/store/items.ts';
import { memoryStore } from '../../../../src/service/store/memory-store.ts';
import type { ItemChange, MatchingWrite, Store } from '../../../../src/service/store/store.ts';
import { variantA } from '../../../../src/service/todo/variant-a.ts';
import { propertyOptions } from '../../../support/property.ts';
import { turns } from '../../../support/raw.ts';
import { within } from '../../../support/within.ts';

/** Three chunks, of which the last one still grows. */
const ITEMS = 1_100;

/** The response to a write. */
const DONE = { status: 204 };

const EVERY_ITEM: NonEmpty = [{ op: 'gte', column: 'id', value: 1 }];

/** A store of items with priorities from 1 to 5, whose steps take a few rows each. */
function filled({ count = ITEMS, maxBytes = Infinity } = {}) {
  let now = 0;
  const items = new Items(variantA.fields, { clock: () => ++now, maxBytes });
  for (let i = 0; i < count; i++) {
    items.create({ title: `task ${i}`, description: '', completed: false, priority: 1 + (i % 5) });
  }
  return { items, store: memoryStore(items) };
}

/** Runs one step in each turn of the event loop. @param onStep called after each */
async function stepByStep<R>(steps: Steps<unknown, R>, onStep = () => {}): Promise<R> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    onStep();
    await turns(1);
  }
}

function writing(
  change: ItemChange,
  where = EVERY_ITEM,
  run: MatchingWrite['run'] = stepByStep,
): MatchingWrite {
  return { where, run, wait: (end) => end, check: () => {}, changeOf: () => change };
}

const setTitle = (store: Store, id: number, title: string) =>
  store.write(({ table }) => {
    table.update(id, { title });
    return DONE;
  });

it('writes to several items and to single ones each write what matches at one moment', async () => {
  const priority = fc.integer({ min: 1, max: 5 });
  const bulkWrite = fc.record({ priority, deletes: fc.boolean(), to: priority, at: fc.nat(60) });
  const single = fc.record({ id: fc.integer({ min: 1, max: ITEMS }), priority, at: fc.nat(60) });
  await fc.assert(
    fc.asyncProperty(
      fc.array(bulkWrite, { minLength: 2, maxLength: 5 }),
      fc.array(single, { maxLength: 40 }),
      async (bulkWrites, singles) => {
        const { items, store } = filled();
        const model = new Map(items.table.search().map((item) => [item.id, item]));
        /** The ids that the commit of a bulk write must change, by its description. */
        const matchingIn = (priority: unknown) =>
          [...model.values()].filter((item) => item.priority === priority).map(({ id }) => id);
        const committed = new Map<string, number>();
        items.table.onCommit(({ changes }) => {
          const ids = Array.from(changes, ({ put, deleted }) => (put ?? deleted).id);
          const [first] = changes;
          const name = `${first?.put?.description ?? 'deletion'}`;
          const bulk = bulkWrites[Number(name)];
          if (bulk !== undefined && first?.put && first.before?.description !== name) {
            assert.deepEqual(ids, matchingIn(bulk.priority), `bulk write ${name}`);
            committed.set(name, (committed.get(name) ?? 0) + 1);
          } else if (first?.deleted) {
            assert.deepEqual(ids, matchingIn(first.deleted.priority), 'a deletion');
          }
          for (const { put, deleted } of changes) {
            if (put) model.set(put.id, put);
            else model.delete(deleted.id);
          }
        });
        const counts = bulkWrites.map(async ({ priority, deletes, to, at }, index) => {
          await turns(at);
          const change = deletes ? 'deletion' : { description: `${index}`, priority: to };
          return store.writeMatching(
            writing(change, [{ op: 'eq', column: 'priority', value: priority }]),
          );
        });
        const others = singles.map(async ({ id, priority, at }) => {
          await turns(at);
          await store.write(({ table }) => {
            table.update(id, { priority });
            return DONE;
          });
        });
        await within('all writes', Promise.all([...counts, ...others]));
        for (const [name, times] of committed) assert.equal(times, 1, `commits of ${name}`);
        assert.deepEqual(items.table.search(), [...model.values()]);
      },
    ),
    propertyOptions(15),
  );
});

it('one write to several items runs at a time, in their order; a hundred wait, the next gets 503', async () => {
  const { store } = filled({ count: 3 });
  const begun: number[] = [];
  let end = () => {};
  const first = new Promise<void>((resolve) => {
    end = resolve;
  });
  const begin = (index: number) =>
    store.writeMatching(
      writing({ priority: 1 }, EVERY_ITEM, async (steps) => {
        begun.push(index);
        if (index === 0) await first;
        return stepByStep(steps);
      }),
    );
  const writes = Array.from({ length: 101 }, (_, index) => begin(index));
  await assert.rejects(begin(101), { code: 'overloaded', status: 503, shortage: 'bulk-writes' });
  await turns(3);
  assert.deepEqual(begun, [0]);
  end();
  assert.deepEqual(await within('all writes', Promise.all(writes)), Array(101).fill(3));
  assert.deepEqual(
    begun,
    Array.from(begun, (_, index) => index),
  );
});

it('a write whose client leaves while it waits, or when its turn comes, leaves the others their turns', async () => {
  for (const leavesLate of [false, true]) {
    const { store } = filled({ count: 3 });
    const gone = new Error('the client has gone');
    const leaving: MatchingWrite = {
      ...writing({ priority: 1 }),
      wait: async (turn) => {
        if (leavesLate) await turn;
        throw gone;
      },
    };
    const writes = [writing({ priority: 1 }), leaving, writing({ priority: 2 })];
    const results = await within(
      'all writes',
      Promise.allSettled(writes.map((each) => store.writeMatching(each))),
    );
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
  }
});

it('other writes wait after ten rounds of preparing again, until it is done', async () => {
  const { items, store } = filled();
  const order: string[] = [];
  items.table.onCommit(({ changes }) => {
    order.push(changes.length === 1 ? 'one' : 'all');
  });
  const waiting: unknown[] = [];
  // A client that writes after each round.
  const run: MatchingWrite['run'] = async (steps) => {
    const result = await stepByStep(steps);
    waiting.push(setTitle(store, ITEMS, `round ${waiting.length}`));
    return result;
  };
  assert.equal(await store.writeMatching(writing({ priority: 5 }, EVERY_ITEM, run)), ITEMS);
  await within('the last write', Promise.all(waiting));
  assert.deepEqual(order, [...Array(10).fill('one'), 'all', 'one']);
  assert.equal(items.table.find(ITEMS)?.row.title, 'round 10');
});

it('what others write meanwhile is prepared again in steps, not by the commit', async () => {
  const { items, store } = filled();
  let [steps, isFirst] = [0, true];
  const run: MatchingWrite['run'] = (work) => stepByStep(work, () => steps++);
  const once: MatchingWrite['run'] = async (work) => {
    const result = await run(work);
    // Every chunk.
    if (isFirst) for (let id = 1; id <= ITEMS; id += 100) setTitle(store, id, 'new');
    isFirst = false;
    return result;
  };
  await store.writeMatching(writing({ priority: 4 }, EVERY_ITEM, run));
  const alone = steps;
  await store.writeMatching(writing({ priority: 5 }, EVERY_ITEM, once));
  assert(steps - alone > 1.9 * alone, `${steps - alone} steps, ${alone} alone`);
  assert.equal(items.table.search([{ op: 'eq', column: 'priority', value: 5 }]).length, ITEMS);
});

it('new rows may take the room of items and half as much; more is 507, and a deletion needs none', async () => {
  const { bytes } = filled().items.table;
  for (const [share, fits, title] of [
    [0.66, true, 'x'],
    [0.95, false, 'x'.repeat(100)],
  ] as const) {
    const maxBytes = bytes / share;
    const { items, store } = filled({ maxBytes });
    const write = store.writeMatching(writing({ priority: 1, title }));
    if (fits) assert.equal(await write, ITEMS);
    else {
      await assert.rejects(write, {
        status: 507,
        shortage: 'bulk-writes',
        message: /change fewer at a time/,
      });
      assert.equal(
        items.table.search([{ op: 'eq', column: 'priority', value: 1 }]).length,
        ITEMS / 5,
      );
    }
    assert.equal(await store.writeMatching(writing('deletion')), ITEMS);
    assert.equal(items.table.size, 0);
  }
});
