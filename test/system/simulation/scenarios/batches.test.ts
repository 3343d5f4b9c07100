import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { create, intercept, inWorld, isCommit } from './stage.ts';

/** How many items each client creates, one after the other. */
const ITEMS = 20;

describe('clients that write again as soon as they are answered', () => {
  inWorld('share their transactions, although they have not begun together', async (all) => {
    const replica = all.start();
    await all.ready();
    let sent = 0;
    intercept(replica, (path, body) => {
      if (!isCommit(path, body)) return undefined;
      sent++;
      return { arrivals: [10] };
    });
    const clients = [0, 5].map(async (startMs) => {
      await all.world.sleep(startMs);
      for (let i = 0; i < ITEMS; i++) await create(replica, 'x');
    });
    await Promise.all(clients);
    assert(sent <= ITEMS + 3, `${sent} transactions`);
  });
});
