import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Problem } from '../../../src/lib/http/messages/problem.ts';
import { runToEnd, type Steps } from '../../../src/lib/steps.ts';
import type { NonEmpty } from '../../../src/lib/table/condition/condition.ts';
import { StoreError, UnknownOutcomeError } from '../../../src/replicas/replica/errors.ts';
import type { Replica } from '../../../src/replicas/replica/replica.ts';
import { writeMatching } from '../../../src/replicas/several-commits.ts';
import { Items } from '../../../src/service/store/items.ts';
import { writeInOneCommit } from '../../../src/service/store/matching-write.ts';
import type { ItemChange } from '../../../src/service/store/store.ts';
import { variantA } from '../../../src/service/todo/variant-a.ts';

/** A replica that changes two rows in a write at most, instead of a hundred. */
interface FewRowsReplica extends Pick<Replica, 'deadline' | 'read' | 'write' | 'maxRowsPerWrite'> {
  items: Items;
  generation: string;
  /** Called before each write, with its number. */
  beforeWrite: (write: number) => unknown;
  writes: number;
  /** The deadlines of reads and writes, in order. */
  readonly deadlines: (number | undefined)[];
}

function fewRowsReplica(items: Items): FewRowsReplica {
  const replica: FewRowsReplica = {
    items,
    deadline: () => 5_000,
    read: async (work, deadline) => {
      replica.deadlines.push(deadline);
      return work();
    },
    maxRowsPerWrite: 2,
    generation: 'first',
    beforeWrite: () => {},
    writes: 0,
    deadlines: [],
    async write(work, respond, deadline) {
      replica.deadlines.push(deadline);
      await replica.beforeWrite(++replica.writes);
      const { items } = replica;
      const result = items.table.transaction(() => work(items));
      return respond(result, items.table.lastCommit);
    },
  };
  return replica;
}

const SOME: NonEmpty = [{ op: 'gte', column: 'priority', value: 3 }];

function filled() {
  const seed = [1, 3, 4, 2, 5, 3, 5].map((priority) => ({
    ...{ title: 'x', description: '', completed: false, priority },
  }));
  const items = new Items(variantA.fields);
  runToEnd(items.fill(seed));
  const replica = fewRowsReplica(items);
  const write = (changeOf: () => ItemChange, where = SOME, check = () => {}) =>
    writeMatching(replica, {
      where,
      run: async (steps) => runToEnd(steps),
      wait: (end) => end,
      check,
      changeOf,
    });
  const remove = (where = SOME, check = () => {}) => write(() => 'deletion', where, check);
  const left = () => replica.items.table.search().map(({ id }) => id);
  return { items, replica, write, remove, left };
}

describe('a removal that takes several commits', () => {
  it('goes by ascending id, and checks preconditions in the first one', async () => {
    const { items, replica, remove, left } = filled();
    const deleted: unknown[][] = [];
    items.table.onCommit(({ changes }) => {
      deleted.push([...changes].map((change) => change.deleted?.id));
    });
    let checks = 0;
    assert.equal(await remove(SOME, () => checks++), 5);
    assert.deepEqual(deleted, [[2, 3], [5, 6], [7]]);
    assert.deepEqual([replica.writes, checks], [3, 2]);
    assert.deepEqual(left(), [1, 4]);
  });

  it('tests its items again, and none that did not match at first', async () => {
    const { items, replica, remove, left } = filled();
    replica.beforeWrite = (write) => {
      if (write !== 2) return;
      items.table.update(5, { priority: 1 });
      items.table.update(1, { priority: 5 });
    };
    assert.equal(await remove(), 4);
    assert.deepEqual(left(), [1, 4, 5]);
  });

  it('has one deadline for its search and the first commit, and one for each later commit', async () => {
    const { replica, remove } = filled();
    assert.equal(await remove(), 5);
    // Two searches, because the first one finds more than fit into a commit.
    assert.deepEqual(replica.deadlines, [5_000, 5_000, 5_000, undefined, undefined]);
  });

  it('is one commit if the items fit, with those that match when it is made', async () => {
    const { items, replica, remove, left } = filled();
    items.table.remove([{ op: 'gt', column: 'id', value: 3 }]);
    replica.beforeWrite = () => items.table.update(1, { priority: 5 }) && items.table.delete(2);
    assert.equal(await remove(), 2);
    assert.deepEqual([left(), replica.writes], [[], 1]);
    assert.deepEqual(replica.deadlines, [5_000, 5_000], 'its search and its commit have the same');
  });

  it('takes several commits if more items match when the first one is made', async () => {
    const { items, replica, remove, left } = filled();
    items.table.remove([{ op: 'gt', column: 'id', value: 3 }]);
    replica.beforeWrite = () => items.table.update(1, { priority: 5 });
    assert.equal(await remove(), 3);
    assert.deepEqual([left(), replica.writes], [[], 3]);
  });

  it('begins anew if a reset comes before the first commit, and ends if it comes later', async () => {
    for (const [write, expected, rest] of [
      [1, 7, []],
      [2, 5, [1, 2, 3, 4, 5, 6, 7]],
    ] as const) {
      const { items, replica, remove, left } = filled();
      replica.beforeWrite = (number) => {
        if (number !== write) return;
        replica.generation = 'second';
        replica.items = items.createEmpty();
        for (let i = 0; i < 7; i++) {
          const values = { title: 'new', description: '', completed: false, priority: 5 };
          replica.items.create(values);
        }
      };
      assert.equal(await remove(), expected, `before write ${write}`);
      assert.deepEqual(left(), rest);
    }
  });

  it('checks preconditions even if nothing matches', async () => {
    const { remove, left } = filled();
    const nothing: NonEmpty = [{ op: 'gt', column: 'priority', value: 9 }];
    assert.equal(await remove(nothing), 0);
    const failing = () => {
      throw new Problem('precondition-failed', 'no');
    };
    await assert.rejects(remove(nothing, failing), { code: 'precondition-failed' });
    await assert.rejects(remove(SOME, failing), { code: 'precondition-failed' });
    assert.equal(left().length, 7);
  });

  it('retains no rows if its request ends before they are found', async () => {
    const { items, replica } = filled();
    const gone = new Error('the client has gone');
    const matching = {
      where: SOME,
      run: (steps: Steps<unknown, unknown>) => {
        steps.next();
        steps.close?.();
        throw gone;
      },
      wait: (end: Promise<void>) => end,
      check: () => {},
      changeOf: () => 'deletion' as const,
    };
    await assert.rejects(writeMatching(replica, matching), gone);
    await assert.rejects(writeInOneCommit(items, matching), gone);
  });

  it('says that a part may be done, if the first commit may be done and another fails', async () => {
    const full = new Problem({ code: 'store-full', title: 'Full', status: 507 }, 'a test');
    const partial = {
      ...{ code: 'outcome-unknown', status: 503, headers: { 'Retry-After': '1' } },
      message:
        /^A part of the items may be done; repeat the request \(with If-Match, .*\(a test\)$/,
    };
    for (const [error, write, expected] of [
      [new StoreError('a test'), 1, { message: 'a test' }],
      [full, 1, { code: 'store-full' }],
      [new UnknownOutcomeError('a test'), 1, partial],
      [new StoreError('a test'), 2, partial],
      [full, 2, partial],
      [new TypeError('a test'), 2, { name: 'TypeError' }],
    ] as const) {
      const { items, replica, remove } = filled();
      replica.beforeWrite = (number) => {
        if (number === write) throw error;
        // Then the first commit is one item.
        if (number === 1) items.table.update(2, { priority: 1 });
      };
      await assert.rejects(remove(), expected);
    }
  });
});

describe('a modification that takes several commits', () => {
  const done = () => ({ completed: true });

  it('counts matching items, tests them again, and reads the change after preconditions', async () => {
    const { items, replica, write } = filled();
    const steps: string[] = [];
    replica.beforeWrite = (write) => {
      steps.push(`write ${write}`);
      if (write === 2) items.table.update(5, { priority: 1 });
    };
    items.table.update(2, { completed: true });
    const changeOf = () => {
      steps.push('read');
      return done();
    };
    const check = () => void steps.push('check');
    assert.equal(await write(changeOf, SOME, check), 4);
    assert.deepEqual(steps, ['check', 'read', 'write 1', 'check', 'write 2', 'write 3']);
    const completed = items.table.search([{ op: 'eq', column: 'completed', value: true }]);
    assert.deepEqual(
      completed.map(({ id }) => id),
      [2, 3, 6, 7],
    );
  });
});
