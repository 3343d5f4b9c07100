import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { variantB as variant } from '../../src/service/todo/variant-b.ts';
import { EventClient } from '../support/events.ts';
import { EVENTS, LIST } from '../support/paths.ts';
import { rawClientFor } from '../support/raw.ts';
import { getRequest } from '../support/raw-requests.ts';
import { startApp } from '../support/service.ts';

describe('event streams', () => {
  it('are cut if their clients do not read, unlike other streams', async (test) => {
    const options = { historyBytes: 4_000_000 };
    const { client, baseUrl, port } = await startApp(test, variant, options);
    const healthy = await EventClient.open(baseUrl);
    const stuck = await rawClientFor(test, port);
    stuck.send(getRequest(EVENTS));
    stuck.socket.pause();
    let isCut = false;
    stuck.socket.once('close', () => {
      isCut = true;
    });
    const description = '😀'.repeat(1_000);
    let sent = 0;
    while (!isCut) {
      const todo = { title: 'x', description };
      await Promise.all(Array.from({ length: 50 }, () => client.post(LIST, todo)));
      sent += 50;
      // Both clients share this process; yield to the one that reads.
      while (healthy.events.length < sent - 300 && !healthy.hasEnded) await sleep(1);
      // A paused socket reports a reset only when written to.
      stuck.socket.write('x');
    }
    const events = await healthy.take(sent + 1);
    assert.equal(events.length, healthy.events.length, 'the healthy stream has missed nothing');
    healthy.close();
  });
});
