import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { variantA } from '../../src/service/todo/variant-a.ts';
import type { Client } from '../support/client.ts';
import { LIST, pathsOf } from '../support/paths.ts';
import { rawClientFor } from '../support/raw.ts';
import { getRequest } from '../support/raw-requests.ts';
import { startApp, VARIANTS } from '../support/service.ts';
import { turnsUntil } from '../support/within.ts';
import { assertProblem } from './suite.ts';

const MAX_ROWS = 3;

/** The memory of all items, in bytes. */
async function itemBytes(client: Client): Promise<number> {
  const { text } = await client.get('/metrics');
  return Number(/^todo_bytes\{part="rows"\} (\d+)$/m.exec(text)?.[1]);
}

for (const variant of VARIANTS) {
  describe(`a full store, variant ${variant.name.toUpperCase()}`, () => {
    const { LIST, itemPath } = pathsOf(variant);
    it('returns 507 only for creates, until a delete makes room', async (test) => {
      const { client } = await startApp(test, variant, { env: { MAX_ROWS: `${MAX_ROWS}` } });
      for (let id = 1; id <= MAX_ROWS; id++) await client.post(LIST, { title: `todo ${id}` });

      assertProblem(await client.post(LIST, { title: 'one more' }), 507, 'store-full');
      assertProblem(await client.post(LIST, { title: '' }), 400, 'validation-failed');

      assert.equal((await client.get(LIST)).json<unknown[]>().length, MAX_ROWS);
      assert.equal((await client.get(itemPath(2))).json().title, 'todo 2');
      assert.equal((await client.put(itemPath(2), { title: 'new' })).json().title, 'new');
      assert.equal((await client.delete(itemPath(2))).status, 204);

      const two = [{ title: 'one more' }, { title: 'and another' }];
      assertProblem(await client.post(`${LIST}/batch`, two), 507, 'store-full');
      const created = await client.post(LIST, { title: 'one more' });
      assert.equal(created.status, 201);
      assert.equal(created.json().id, MAX_ROWS + 1, 'a rejected create uses up no id');
    });

    it('changes all items at once while they take two thirds, else says to change fewer', async (test) => {
      const seed = Array.from({ length: 1_000 }, (_, i) => ({
        ...{ title: `task ${i}`, description: '', completed: false, priority: 3 },
        ...(variant.name === 'b' && { createdAt: '2026-11-29T12:00:00.000' }),
      }));
      const start = async (MAX_BYTES: number) => {
        const { client } = await startApp(test, variant, {
          seed,
          env: { MAX_BYTES: `${MAX_BYTES}` },
        });
        return client;
      };
      const bytes = await itemBytes(await start(10_000_000));
      const roomy = await start(Math.ceil(bytes / 0.66));
      assert.equal(
        (await roomy.patch(`${LIST}?id.gte=1`, { priority: 5 })).text,
        '{"updated":1000}',
      );

      const full = await start(Math.ceil(bytes / 0.95));
      const longer = { title: 'x'.repeat(100), priority: 5 };
      const refused = await full.patch(`${LIST}?id.gte=1`, longer);
      assertProblem(refused, 507, 'store-full');
      assert.match(refused.text, /change fewer at a time/);
      assert.equal((await full.get(`${LIST}?priority=5`)).text, '[]');
      assert.match((await full.get('/metrics')).text, /_refused_total\{reason="bulk-writes"\} 1$/m);
      assert.equal((await full.patch(`${LIST}?id.lt=100`, { priority: 5 })).status, 200);
      assert.equal((await full.delete(`${LIST}?id.gte=1`)).text, '{"deleted":1000}');
    });

    it('returns 507 for writes that add bytes when bytes are used up, and accepts the others', async (test) => {
      const { client } = await startApp(test, variant, { env: { MAX_BYTES: '65536' } });
      const long = { title: 'x', description: '😀'.repeat(1000) };
      const short = { title: 'short' };
      await client.post(LIST, short);
      for (const item of [long, short]) {
        while ((await client.post(LIST, item)).status === 201);
      }
      const before = (await client.get(LIST)).text;
      for (const response of [
        await client.post(LIST, short),
        await client.post(`${LIST}/batch`, [short, long]),
        await client.put(itemPath(1), long),
        await client.patch(itemPath(1), long),
        await client.patch(`${LIST}?title=short`, long),
      ]) {
        assertProblem(response, 507, 'store-full');
      }
      assert.equal((await client.get(LIST)).text, before);
      const { text } = await client.get('/metrics');
      assert.match(text, /^todo_requests_refused_total\{reason="items"\} [67]$/m);
      assert.equal((await client.put(itemPath(1), { title: 'new' })).status, 200);
      assert.equal((await client.delete(`${LIST}?title=x`)).status, 200);
      assert.equal((await client.put(itemPath(1), long)).status, 200);
    });
  });
}

it('a sort has a permit for each half mebibyte of the rows that it collects', async (test) => {
  // So long that its client leaves some of it in the service.
  const count = 12_000;
  const item = { title: 'x', description: '😀'.repeat(500), completed: false, priority: 3 };
  const seed = Array.from({ length: count }, () => item);
  const { app, port } = await startApp(test, variantA, { seed });
  const { admission } = app.control.server;
  const permitsOf = async (target: string) => {
    const slow = await rawClientFor(test, port);
    slow.socket.pause();
    await slow.sendApart(getRequest(target));
    await turnsUntil('it begins', () => slow.socket.bytesRead > 0 || admission.takenPermits > 0);
    const { takenPermits } = admission;
    slow.destroy();
    await turnsUntil('its permits are back', () => admission.takenPermits === 0);
    return takenPermits;
  };
  assert.equal(await permitsOf(LIST), 1);
  // A sorted row takes 56 bytes.
  assert.equal(await permitsOf(`${LIST}?sort=title,-priority`), 3);
});
