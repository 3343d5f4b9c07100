import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseSeed } from '../../src/todo/seed.ts';
import { variantB as variant } from '../../src/todo/variant-b.ts';
import { assertProblem } from '../api/suite.ts';
import { AUTHORIZED, LIST, startAdmin, TOKEN } from '../support/admin.ts';
import { Client, type Todo } from '../support/client.ts';
import { EventClient } from '../support/events.ts';
import { startApp } from '../support/service.ts';

describe('the admin paths', () => {
  it('do not exist without a token', async (test) => {
    const { baseUrl } = await startApp(test, variant);
    const client = new Client(baseUrl);
    test.after(() => client.close());
    for (const [method, path] of [
      ['POST', '/admin/reset'],
      ['GET', '/admin/faults'],
      ['GET', '/admin/x'],
    ] as const) {
      const answer = await client.request(method, path, { headers: AUTHORIZED });
      assertProblem(answer, 404, 'unknown-path');
    }
  });

  it('require the token, known or not', async (test) => {
    const { client, admin } = await startAdmin(test, variant);
    for (const authorization of [
      undefined,
      '',
      'Bearer',
      'Bearer x',
      `Bearer ${TOKEN}x`,
      `Bearer ${TOKEN.slice(0, -1)}`,
      `Basic ${TOKEN}`,
      TOKEN,
    ]) {
      const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
      for (const path of ['/admin/reset', '/admin/faults', '/admin/', '/admin/none']) {
        for (const method of ['GET', 'POST', 'DELETE']) {
          const answer = await client.request(method, path, { headers });
          assertProblem(answer, 401, 'unauthorized');
          assert.equal(answer.headers['www-authenticate'], 'Bearer');
        }
      }
    }
    assertProblem(await admin('GET', '/admin/none'), 404, 'unknown-path');
    assertProblem(await admin('GET', '/admin/reset'), 405, 'method-not-allowed');
    const lower = { authorization: `bearer ${TOKEN}` };
    assert.equal((await client.get('/admin/faults', lower)).status, 200);
  });

  it('cannot be read by other origins', async (test) => {
    const { client } = await startAdmin(test, variant, { env: { CORS_ORIGINS: '*' } });
    const headers = { ...AUTHORIZED, origin: 'http://localhost:5173' };
    const answer = await client.get('/admin/faults', headers);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers['access-control-allow-origin'], undefined);
  });

  it('varies by origin, like all responses, unless that is the same for all', async (test) => {
    for (const [list, vary] of [
      ['localhost', 'Origin'],
      ['*', undefined],
    ] as const) {
      const { client } = await startAdmin(test, variant, {
        env: { CORS_ORIGINS: list },
      });
      assert.equal((await client.get('/admin/faults', AUTHORIZED)).headers.vary, vary);
    }
  });
});

describe('the seed', () => {
  it('is present at the start, with ids from 1 in order', async (test) => {
    const { client } = await startAdmin(test, variant);
    const todos = (await client.get(LIST)).json<Todo[]>();
    assert.deepEqual(
      todos.map(({ createdAt: _, ...todo }) => todo),
      [
        { id: 1, title: 'first', description: '', completed: false, priority: 3 },
        { id: 2, title: 'second', description: 'with words', completed: true, priority: 5 },
        { id: 3, title: 'third', description: '', completed: false, priority: 3 },
      ],
    );
    assert.equal((await client.post(LIST, { title: 'next' })).json().id, 4);
  });

  for (const [text, message] of [
    ['', /is empty/],
    ['{}', /is an object; it must be a JSON array/],
    ['[', /is not JSON/],
    ['[{"title":"x"},7]', /^the item at index 1 must be an object$/],
    [
      '[{"title":"x"},{"title":"","priority":9}]',
      /^the item at index 1 .*#\/title .*; #\/priority /,
    ],
    ['[{"title":"x","completed":null}]', /^the item at index 0 .*#\/completed must not be null$/],
    ['[{"title":"x","completed":"yes"}]', /#\/completed must be true or false/],
    [
      `[{"title":"x","y":${'['.repeat(32)}${']'.repeat(32)}}]`,
      /^the item at index 0 .* more than 32 deep$/,
    ],
  ] as const) {
    it(`${JSON.stringify(text)} is rejected in one line`, () => {
      assert.throws(
        () => parseSeed(Buffer.from(text), variant.fields),
        (error: Error) => {
          assert.equal(error.name, 'SeedError');
          assert.match(error.message, message);
          assert(!error.message.includes('\n'));
          return true;
        },
      );
    });
  }
});

describe('a reset', () => {
  it('restores items and ids, with new times of creation', async (test) => {
    const { client, admin } = await startAdmin(test, variant);
    const before = (await client.get(LIST)).json<Todo[]>();
    for (let i = 0; i < 100; i++) await client.post(LIST, { title: `another ${i}` });
    await client.put(`${LIST}/1`, { title: 'changed' });
    await client.delete(`${LIST}/2`);
    const answer = await admin('POST', '/admin/reset');
    assert.equal(answer.status, 204);
    assert.equal(answer.text, '');
    const after = (await client.get(LIST)).json<Todo[]>();
    const withoutTime = ({ createdAt: _, ...todo }: Todo) => todo;
    assert.deepEqual(after.map(withoutTime), before.map(withoutTime));
    for (const [i, { createdAt = '' }] of after.entries()) {
      assert(createdAt >= (before[i]?.createdAt ?? ''));
    }
    assert.equal((await client.post(LIST, { title: 'next' })).json().id, 4);
    assert.equal((await client.get(`${LIST}?search=words`)).json<Todo[]>().length, 1);
    assert.equal((await client.get(`${LIST}?search=another`)).text, '[]');
  });

  it('changes the tag of every list, and is sent to event streams', async (test) => {
    const { client, admin, baseUrl } = await startAdmin(test, variant);
    const tagOf = async () => (await client.get(LIST)).headers.etag;
    const events = await EventClient.open(baseUrl);
    const ready = await events.next();
    const before = await tagOf();
    await admin('POST', '/admin/reset');
    assert.notEqual(await tagOf(), before);
    assert.equal((await events.next()).event, 'reset');
    await client.post(LIST, { title: 'next' });
    assert.equal((await events.next()).event, 'put');
    events.close();
    const late = await EventClient.open(baseUrl, ready.id);
    assert.deepEqual(
      (await late.take(2)).map(({ event }) => event),
      ['ready', 'reset'],
    );
    late.close();
  });

  it('is atomic', async (test) => {
    const { client, admin } = await startAdmin(test, variant);
    const seeded = (await client.get(LIST)).json<Todo[]>().length;
    let done = false;
    const resetting = (async () => {
      for (let i = 0; i < 30; i++) {
        await Promise.all(Array.from({ length: 20 }, () => client.post(LIST, { title: 'more' })));
        await admin('POST', '/admin/reset');
      }
      done = true;
    })();
    while (!done) {
      const todos = (await client.get(LIST)).json<Todo[]>();
      assert.deepEqual(
        todos.map(({ id }) => id),
        todos.map((_, i) => i + 1),
      );
      assert(todos.length >= seeded);
    }
    await resetting;
  });

  it('keeps faults', async (test) => {
    const { admin, setFaults } = await startAdmin(test, variant);
    await setFaults({ path: '/none', status: 503 });
    await admin('POST', '/admin/reset');
    const { faults } = (await admin('GET', '/admin/faults')).json<{ faults: unknown[] }>();
    assert.equal(faults.length, 1);
  });
});
