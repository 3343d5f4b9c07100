import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FIRST_PART_BYTES } from '../../src/lib/http/messages/long-content.ts';
import { variantA } from '../../src/service/todo/variant-a.ts';
import type { Client } from '../support/client.ts';
import { ManualClock } from '../support/clock.ts';
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

it('a list that nobody has read for a second is cut if previous versions exceed half of MAX_BYTES', async (test) => {
  const time = new ManualClock(test);
  // More than the operating system keeps of a connection.
  const MAX_BYTES = 2 ** 24;
  const seed = Array.from({ length: 3_400 }, () => ({
    ...{ title: 'x', description: '😀'.repeat(1000), completed: false, priority: 3 },
  }));
  const env = { MAX_BYTES: `${MAX_BYTES}` };
  const { port, client } = await startApp(test, variantA, { env, seed });
  const slow = await rawClientFor(test, port);
  slow.socket.pause();
  await slow.sendApart(getRequest(LIST));
  const changes = { description: '😃'.repeat(1000) };
  const change = async (from: number, to: number) => {
    let status = 0;
    void client.patch(`${LIST}?id.gte=${from}&id.lt=${to}`, changes).then((response) => {
      status = response.status;
    });
    await turnsUntil('the items are changed', async () => {
      await time.advance(10);
      return status === 200;
    });
  };
  for (const from of [1, 851, 1_701]) await change(from, from + 850);
  await change(2_551, 2_552);
  slow.ignore().socket.resume();
  await slow.ended;
  assert(slow.socket.bytesRead < MAX_BYTES / 2, `${slow.socket.bytesRead} bytes of the list`);
  const { text } = await client.get('/metrics');
  assert.match(text, /^todo_connections_cut_total\{reason="unread"\} 1$/m);
});

it('a sort takes 56 bytes of each row until its response has been sent', async (test) => {
  // So long that its client leaves some of it in the service.
  const count = 6_000;
  const item = { title: 'x', description: '😀'.repeat(1000), completed: false, priority: 3 };
  const seed = Array.from({ length: count }, () => item);
  const { port, client } = await startApp(test, variantA, { seed });
  const bytes = async () => {
    const { text } = await client.get('/metrics');
    return Number(/^todo_bytes\{part="clients"\} (\d+)$/m.exec(text)?.[1]);
  };
  const slow = await rawClientFor(test, port);
  slow.socket.pause();
  await slow.sendApart(getRequest(`${LIST}?sort=title,-priority`));
  const withFirstPart = FIRST_PART_BYTES + 56 * count;
  await turnsUntil('it begins', async () => (await bytes()) >= withFirstPart);
  let rest = 0;
  await turnsUntil('its first part is sent', async () => {
    rest = await bytes();
    return rest < withFirstPart;
  });
  assert(rest > 56 * count, `${rest} bytes`);
  slow.destroy();
  await turnsUntil('the memory is free', async () => (await bytes()) === 0);
});
