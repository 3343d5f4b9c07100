import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { AppOptions } from '../../src/app-options.ts';
import type { Fault } from '../../src/http/middleware/faults.ts';
import type { Variant } from '../../src/todo/fields.ts';
import { parseSeed } from '../../src/todo/seed.ts';
import { assertProblem } from '../api/suite.ts';
import { type Answer, Client, type Todo } from '../support/client.ts';
import { EventClient } from '../support/events.ts';
import { startApp, VARIANTS } from '../support/service.ts';

const TOKEN = 'a-b.c_d~e+f/1==';
const AUTHORIZED = { authorization: `Bearer ${TOKEN}` };
const LIST = '/api/todos';

const SEED = [
  { title: 'first' },
  { title: 'second', description: 'with words', priority: 5, completed: true },
  { title: 'third', id: 77, unknown: {} },
];

async function start(test: TestContext, variant: Variant, options: AppOptions = {}) {
  const seed = parseSeed(Buffer.from(JSON.stringify(SEED)), variant.fields);
  const service = await startApp(test, variant, { adminToken: TOKEN, seed, ...options });
  const client = new Client(service.baseUrl);
  test.after(() => client.close());
  const admin = (method: string, path: string, body?: unknown): Promise<Answer> =>
    client.request(method, path, {
      headers: { ...AUTHORIZED, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const setFaults = async (...faults: Fault[]) => {
    const answer = await admin('PUT', '/admin/faults', { faults });
    assert.equal(answer.status, 200, answer.text);
  };
  return { client, admin, setFaults, baseUrl: service.baseUrl };
}

for (const variant of VARIANTS) {
  const name = variant.name.toUpperCase();

  describe(`the admin paths, variant ${name}`, () => {
    it('are not there without a token', async (test) => {
      const { client } = await start(test, variant, { adminToken: null });
      for (const [method, path] of [
        ['POST', '/admin/reset'],
        ['GET', '/admin/faults'],
        ['GET', '/admin/x'],
      ] as const) {
        const answer = await client.request(method, path, { headers: AUTHORIZED });
        assertProblem(answer, 404, 'unknown-path');
      }
    });

    it('are for those who have the token, known or not', async (test) => {
      const { client, admin } = await start(test, variant);
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
        const headers: Record<string, string> =
          authorization === undefined ? {} : { authorization };
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
      const { client } = await start(test, variant, { origins: '*' });
      const headers = { ...AUTHORIZED, origin: 'http://localhost:5173' };
      const answer = await client.get('/admin/faults', headers);
      assert.equal(answer.status, 200);
      assert.equal(answer.headers['access-control-allow-origin'], undefined);
    });
  });

  describe(`the seed, variant ${name}`, () => {
    it('is there at first, with ids from 1 in order', async (test) => {
      const { client } = await start(test, variant);
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
      ['[{"title":"x"},7]', /^item 1 must be an object$/],
      ['[{"title":"x"},{"title":"","priority":9}]', /^item 1 .*#\/title .*; #\/priority /],
      ['[{"title":"x","completed":null}]', /^item 0 .*#\/completed must not be null$/],
      ['[{"title":"x","completed":"yes"}]', /#\/completed must be true or false/],
      [`[{"title":"x","y":${'['.repeat(32)}${']'.repeat(32)}}]`, /^item 0 .* more than 32 deep$/],
    ] as const) {
      it(`${JSON.stringify(text)} is refused in one line`, () => {
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

  describe(`a reset, variant ${name}`, () => {
    it('puts everything back: items, ids, and the time of creation is now', async (test) => {
      const { client, admin } = await start(test, variant);
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

    it('changes the tag of every list, and is told to event streams', async (test) => {
      const { client, admin, baseUrl } = await start(test, variant);
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

    it('is seen whole or not at all', async (test) => {
      const { client, admin } = await start(test, variant);
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

    it('leaves faults as they are', async (test) => {
      const { admin, setFaults } = await start(test, variant);
      await setFaults({ path: '/none', status: 503 });
      await admin('POST', '/admin/reset');
      const { faults } = (await admin('GET', '/admin/faults')).json<{ faults: unknown[] }>();
      assert.equal(faults.length, 1);
    });
  });

  describe(`faults, variant ${name}`, () => {
    it('are told as they are in force, and end when they are deleted', async (test) => {
      const { admin, client } = await start(test, variant);
      const faults = [
        { method: 'GET', path: '/api/todos', delayMs: 20, jitterMs: 5, rate: 0.5, status: 503 },
        { abort: true, path: '/x' },
      ];
      const set = await admin('PUT', '/admin/faults', { faults });
      assert.deepEqual(set.json(), { faults });
      assert.deepEqual((await admin('GET', '/admin/faults')).json(), { faults });
      assert.deepEqual((await admin('DELETE', '/admin/faults')).json(), { faults: [] });
      assert.equal((await client.get(LIST)).status, 200);
    });

    it('answer with a problem that other origins can read, and nothing is written', async (test) => {
      const { client, setFaults } = await start(test, variant, { origins: '*' });
      for (const status of [400, 404, 429, 500, 503, 599]) {
        await setFaults({ status });
        const answer = await client.post(LIST, { title: 'x' });
        assertProblem(answer, status, 'injected-fault');
        assert.equal(answer.headers['access-control-allow-origin'], '*');
        assert.equal((await client.delete(`${LIST}/1`)).status, status);
      }
      await setFaults();
      assert.equal((await client.get(LIST)).json<Todo[]>().length, SEED.length);
    });

    it('close the connection without an answer, and nothing is written', async (test) => {
      const { client, setFaults } = await start(test, variant);
      await setFaults({ abort: true, method: 'POST' });
      await assert.rejects(client.post(LIST, { title: 'x' }));
      assert.equal((await client.get(LIST)).json<Todo[]>().length, SEED.length);
    });

    it('delay', async (test) => {
      const { client, setFaults } = await start(test, variant);
      await setFaults({ delayMs: 100, jitterMs: 50 });
      const begin = performance.now();
      assert.equal((await client.post(LIST, { title: 'x' })).status, 201);
      const ms = performance.now() - begin;
      assert(ms >= 99 && ms < 5_000, `${ms} ms`);
    });

    it('fit by method and by what the path begins with; the first that fits decides', async (test) => {
      const { client, setFaults } = await start(test, variant);
      await setFaults(
        { method: 'GET', path: '/api/todos/', status: 501 },
        { method: 'GET', path: '/api/todos', status: 502, rate: 0 },
        { path: '/api', status: 503 },
      );
      assert.equal((await client.get(`${LIST}/1`)).status, 501);
      assert.equal((await client.get(LIST)).status, 200, 'its rate misses, and no other decides');
      assert.equal((await client.post(LIST, { title: 'x' })).status, 503);
      assert.equal((await client.get('/openapi.json')).status, 200);
      assert.equal((await client.get('/apis')).status, 503);
      assert.equal((await client.request('HEAD', `${LIST}/1`)).status, 503);
    });

    it('hit the share of requests that the rate says', async (test) => {
      const { client, setFaults } = await start(test, variant);
      await setFaults({ status: 503, rate: 0.3 });
      let hit = 0;
      for (let i = 0; i < 400; i++) if ((await client.get(`${LIST}/1`)).status === 503) hit++;
      assert(hit > 60 && hit < 180, `${hit} of 400`);
    });

    it('end after their seconds', async (test) => {
      const { client, admin, setFaults } = await start(test, variant);
      await setFaults({ status: 503, seconds: 0.2 });
      assert.equal((await client.get(LIST)).status, 503);
      await new Promise((resolve) => setTimeout(resolve, 250));
      assert.equal((await client.get(LIST)).status, 200);
      assert.deepEqual((await admin('GET', '/admin/faults')).json(), { faults: [] });
    });

    it('never hit probes, metrics and the admin paths', async (test) => {
      const { client, admin, setFaults } = await start(test, variant, { metrics: true });
      await setFaults({ status: 503 }, { abort: true });
      for (const path of ['/livez', '/readyz', '/metrics']) {
        assert.equal((await client.get(path)).status, 200, path);
      }
      assert.equal((await admin('GET', '/admin/faults')).status, 200);
      assert.equal((await client.get('/livezz')).status, 503);
    });

    it('come before the router', async (test) => {
      const { client, setFaults } = await start(test, variant);
      await setFaults({ status: 503 });
      assert.equal((await client.get('/none')).status, 503);
      assert.equal((await client.request('TRACE', LIST)).status, 503);
    });

    it('that are wrong are refused, each with its pointer, and nothing is set', async (test) => {
      const { admin, setFaults } = await start(test, variant);
      await setFaults({ path: '/kept', status: 503 });
      for (const [body, pointers] of [
        [{}, ['#/faults']],
        [{ faults: {} }, ['#/faults']],
        [{ faults: [7, {}] }, ['#/faults/0', '#/faults/1']],
        [{ faults: [{ rate: 0.5 }] }, ['#/faults/0']],
        [{ faults: [{ status: 503, 'a/b~c': 1 }] }, ['#/faults/0/a~1b~0c']],
        [{ faults: [{ status: 503, '\ud800': 1 }] }, ['#/faults/0/%EF%BF%BD']],
        [
          { faults: [{ status: 200 }, { status: 503, rate: 2, seconds: 0, foo: 1 }] },
          ['#/faults/0/status', '#/faults/1/rate', '#/faults/1/seconds', '#/faults/1/foo'],
        ],
        [
          {
            faults: [
              { delayMs: -1, jitterMs: '5', method: 'get', path: 'x', abort: 1, status: 503.5 },
            ],
          },
          ['delayMs', 'jitterMs', 'method', 'path', 'abort', 'status'].map(
            (member) => `#/faults/0/${member}`,
          ),
        ],
      ] as const) {
        const answer = await admin('PUT', '/admin/faults', body);
        const { errors = [] } = assertProblem(answer, 400, 'validation-failed');
        assert.deepEqual(
          errors.map(({ pointer }) => pointer),
          pointers,
        );
      }
      const { faults } = (await admin('GET', '/admin/faults')).json<{ faults: unknown[] }>();
      assert.deepEqual(faults, [{ path: '/kept', status: 503 }]);
    });
  });
}
