import assert from 'node:assert/strict';
import { describe, mock } from 'node:test';
import { RecentWriters } from '../../../../src/lib/replica/write/recent-writers.ts';
import { create } from '../../../support/items.ts';
import { intercept, isCommit, simulated } from './stage.ts';

/** How many items each client creates, one after the other. */
const ITEMS = 20;

describe('clients that write again as soon as they are answered', () => {
  simulated('share their transactions, although they have not begun together', async (all) => {
    const replica = all.start();
    await all.ready();
    let sent = 0;
    intercept(replica, (path, body) => {
      if (!isCommit(path, body)) return undefined;
      sent++;
      return { arrivals: [10] };
    });
    const clients = [0, 5].map(async (startMs) => {
      await all.sleep(startMs);
      for (let i = 0; i < ITEMS; i++) await create(replica, 'x');
    });
    await Promise.all(clients);
    assert(sent <= ITEMS + 3, `${sent} transactions`);
  });

  simulated('are followed by a pause for other writers', async (all) => {
    const replica = all.start();
    const pause = mock.method(RecentWriters.prototype, 'pause');
    for (let count = 1; count <= 2; count++) {
      await create(replica, 'x');
      await all.until('it pauses', () => pause.mock.callCount() === count);
    }
    pause.mock.restore();
  });
});
