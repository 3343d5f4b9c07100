import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ClientMemory, type MemoryUser } from '../../../../src/lib/http/server/client-memory.ts';
import { Items } from '../../../../src/service/store/items.ts';
import { limitSnapshots, relieveOnCommit } from '../../../../src/service/todo/snapshot-limit.ts';
import { variantA } from '../../../../src/service/todo/variant-a.ts';
import { appOf } from '../../../support/service.ts';

const ITEMS = 300;
const LISTS = 20;

/** A table with lists in progress, each from a different moment, and its limit in bytes. */
function filled() {
  const items = new Items(variantA.fields);
  const item = { title: 'title', description: 'x'.repeat(500), completed: false, priority: 3 };
  for (let i = 0; i < ITEMS; i++) items.create(item);
  const maxBytes = items.table.bytes * 1.1;
  const lists = Array.from({ length: LISTS }, (_, i) => {
    items.table.update(1, { title: `list ${i}` });
    return items.table.cursor();
  });
  const endOldest = () => {
    const oldest = lists.shift();
    oldest?.close();
    return oldest !== undefined;
  };
  return { items, maxBytes, lists, endOldest };
}

/** The memory of clients: one user with these properties, which `disconnect` ends. */
function clients(properties: Partial<MemoryUser>, disconnect: () => boolean) {
  const user: MemoryUser = {
    ...{ bytes: 0, isClosed: false, isWaiting: false, isUnread: false, isSending: false },
    held: undefined,
    disconnect,
    ...properties,
  };
  return {
    disconnectLargest: (isWanted: (user: MemoryUser) => boolean) => isWanted(user) && disconnect(),
  };
}

/** Changes every item, so that each list retains its previous version. */
async function changeAll(items: Items, check: () => void): Promise<void> {
  for (let id = 1; id <= ITEMS; id++) {
    items.table.update(id, { description: `${id}`.padEnd(500, 'y') });
    for (let turn = 0; turn < 2 * LISTS; turn++) await nextTurn();
    check();
  }
}

describe('the memory of previous versions of items that lists hold', () => {
  it('is freed by cutting lists that their clients do not read', async () => {
    const { items, maxBytes, lists, endOldest } = filled();
    relieveOnCommit(items.table, () => maxBytes, clients({ isUnread: true }, endOldest));
    await changeAll(items, () => {
      assert(items.table.snapshotBytes <= maxBytes / 8, `${items.table.snapshotBytes}`);
    });
    assert(lists.length < LISTS);
  });

  it('is freed by ending other lists if all items together exceed the limit', async () => {
    const { items, maxBytes, lists, endOldest } = filled();
    relieveOnCommit(items.table, () => maxBytes, clients({ isSending: true }, endOldest));
    await changeAll(items, () => {
      assert(items.table.bytes <= maxBytes * 1.125, `${items.table.bytes} of ${maxBytes}`);
    });
    assert(lists.length < LISTS);
  });

  it('does not end lists being read while there is room', async () => {
    const { items, maxBytes, endOldest } = filled();
    const disconnect = () => assert.fail(`there is room, ${endOldest()}`);
    // Each list retains a version of the only leaf.
    const room = (LISTS + 2) * maxBytes;
    relieveOnCommit(items.table, () => room, clients({ isSending: true }, disconnect));
    await changeAll(items, () => {});
    assert(items.table.snapshotBytes > maxBytes / 8);
  });

  it('is freed by cutting clients of the same list alone', async () => {
    const { base, control } = appOf(variantA, { env: { MAX_BYTES: '6000000' } });
    const { place } = await control.lists.put('anna');
    const { items } = place.list;
    const cut: unknown[] = [];
    const memory = new ClientMemory(1_000_000);
    for (const [bytes, held] of [
      [5_000, base.list],
      [4_000, undefined],
      [1, place.list],
    ] as const) {
      const { users } = memory;
      const user: MemoryUser = {
        ...{ bytes, held, isClosed: false, isWaiting: true, isUnread: true, isSending: true },
        disconnect() {
          cut.push(held);
          users.delete(user);
          if (held === place.list) reading.close();
        },
      };
      users.add(user);
    }
    limitSnapshots(items, () => place.budget.items, memory);
    const item = { title: 'x', completed: false, priority: 3 };
    for (let id = 1; id <= 10; id++) items.create({ ...item, description: 'x'.repeat(900) });
    const reading = items.table.cursor();
    for (let id = 1; id <= 10; id++) items.table.update(id, { description: 'y'.repeat(900) });
    for (let turn = 0; turn < 10; turn++) await nextTurn();
    assert.deepEqual(cut, [place.list]);
  });
});
