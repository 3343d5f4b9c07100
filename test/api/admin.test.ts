import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { SeedFile } from '../../src/service/todo/seed-file.ts';
import { variantB as variant } from '../../src/service/todo/variant-b.ts';
import { AUTHORIZED, startAdmin, TOKEN } from '../support/admin.ts';
import { Client, type Todo } from '../support/client.ts';
import { EventClient } from '../support/events.ts';
import { itemPath, LIST } from '../support/paths.ts';
import { exchangeBytes, RawClient } from '../support/raw.ts';
import { createRequest, getRequest } from '../support/raw-requests.ts';
import { appOf, startApp } from '../support/service.ts';
import { assertProblem } from './suite.ts';

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
        for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) {
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

  it('refuse before they read content, which may be long', async (test) => {
    const { baseUrl } = await startAdmin(test, variant);
    const length = 'Content-Length: 500000\r\n';
    for (const fields of [length, `${length}Expect: 100-continue\r\n`]) {
      const raw = await RawClient.connect(Number(new URL(baseUrl).port));
      raw.send(createRequest({ path: '/admin/reset', fields, body: '' }));
      const response = await raw.next();
      assert.equal(response?.status, 401);
      assert.equal(response.headers.connection, 'close');
      raw.destroy();
    }
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
      todos.map(({ id, title, description, completed, priority }) => ({
        ...{ id, title, description, completed, priority },
      })),
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
    ['{}', /^it must be an array of items, or an object with one such array$/],
    ['{"a":[],"b":[]}', /^it must be an array of items, or an object .*: "a", "b"$/],
    ['[', /is not JSON/],
    ['[{"title":"x"},7]', /^#\/1 must be an object, not 7$/],
    ['[{"title":"x"},{"title":"","priority":9}]', /^#\/1\/title .* \(the first of 3 violations\)$/],
    ['[{"title":"x","completed":null}]', /^#\/0\/completed must not be null$/],
    ['[{"title":"x","completed":"yes"}]', /^#\/0\/completed must be true or false$/],
    [`[{"title":"x","y":${'['.repeat(32)}${']'.repeat(32)}}]`, /^it is nested more than 32 deep/],
  ] as const) {
    it(`${JSON.stringify(text)} is rejected in one line`, (test) => {
      const folder = mkdtempSync(join(tmpdir(), 'seed-'));
      test.after(() => rmSync(folder, { recursive: true }));
      const path = join(folder, 'seed.json');
      writeFileSync(path, text);
      const file = new SeedFile({ path, shown: 'x', maxBytes: 100_000 });
      assert.throws(
        () => file.read(variant.fields),
        (error: Error) => {
          assert.equal(error.name, 'ConfigError');
          assert.match(error.message.replace('the seed file x cannot be used: ', ''), message);
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
    await client.put(itemPath(1), { title: 'changed' });
    await client.delete(itemPath(2));
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
      for (let i = 0; i < 8; i++) {
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

  it('empties faults and the journal', async (test) => {
    const { client, admin, setFaults } = await startAdmin(test, variant);
    await client.get(LIST);
    await setFaults({ path: '/none', status: 503 });
    await admin('POST', '/admin/reset');
    assert.deepEqual((await admin('GET', '/admin/faults')).json(), { faults: [] });
    assert.deepEqual((await admin('GET', '/admin/requests')).json(), { requests: [] });
  });

  it('can be to other items, this once', async (test) => {
    const { client, admin } = await startAdmin(test, variant);
    const titles = async () => (await client.get(LIST)).json<Todo[]>().map(({ title }) => title);
    const items = [{ title: 'x' }, { title: 'y', completed: true }];
    for (const seed of [items, { version: 1, todos: items }]) {
      assert.equal((await admin('POST', '/admin/reset', seed)).status, 204);
      assert.deepEqual(await titles(), ['x', 'y']);
      assert.equal((await client.post(LIST, { title: 'next' })).json().id, 3);
    }
    assert.equal((await admin('POST', '/admin/reset', [])).status, 204);
    assert.deepEqual(await titles(), []);
    assert.equal((await admin('POST', '/admin/reset')).status, 204);
    assert.deepEqual(await titles(), ['first', 'second', 'third']);
  });

  it('takes up to 1 MiB', async (test) => {
    const { client, admin } = await startAdmin(test, variant);
    const other = 'x'.repeat(100_000);
    const seed = (length: number) => Array.from({ length }, () => ({ title: 'x', other }));
    assert.equal((await admin('POST', '/admin/reset', seed(10))).status, 204);
    assert.equal((await client.get(`${LIST}?limit=0`)).headers['x-total-count'], '10');
    const tooLarge = await admin('POST', '/admin/reset', seed(11));
    assertProblem(tooLarge, 413, 'content-too-large');
  });

  it('changes nothing with a bad seed, and says all that is wrong', async (test) => {
    const { client, admin } = await startAdmin(test, variant, { env: { MAX_ROWS: '5' } });
    await client.post(LIST, { title: 'kept' });
    const before = (await client.get(LIST)).text;
    for (const [seed, pointers] of [
      [
        [{ title: 'x' }, { title: 5, priority: 9 }, 7],
        ['#/1/title', '#/1/priority', '#/2'],
      ],
      [{ todos: [{ title: 5 }] }, ['#/todos/0/title']],
      [{}, ['#']],
      ['x', ['#']],
    ] as const) {
      const answer = await admin('POST', '/admin/reset', seed);
      const { errors = [] } = assertProblem(answer, 400, 'validation-failed');
      assert.deepEqual(
        errors.map(({ pointer }) => pointer),
        pointers,
      );
    }
    const many = Array.from({ length: 6 }, () => ({ title: 'x' }));
    assertProblem(await admin('POST', '/admin/reset', many), 507, 'store-full');
    assert.equal((await client.get(LIST)).text, before);
  });
});

describe('the journal of requests', () => {
  interface Entry {
    readonly time: string;
    readonly durationMs: number;
    readonly method: string;
    readonly target: string;
    readonly status: number | null;
    readonly headers: Record<string, string>;
    readonly content: string | null;
    readonly contentBytes: number;
  }
  const start = async (test: TestContext) => {
    const service = await startAdmin(test, variant);
    const requests = async (query = '') => {
      const answer = await service.admin('GET', `/admin/requests${query}`);
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.headers['cache-control'], 'no-store');
      return answer.json<{ requests: Entry[] }>().requests;
    };
    return { ...service, requests };
  };

  it('has what was requested, and what came of it', async (test) => {
    const { client, requests, setFaults } = await start(test);
    const headers = { authorization: 'secret', cookie: 'secret', 'x-request-id': 'r1', 'X-a': 'b' };
    const body = JSON.stringify({ title: 'é'.repeat(3000) });
    await client.request('POST', LIST, {
      headers: { ...headers, 'content-type': 'application/json' },
      body,
    });
    await setFaults({ abort: 'before' });
    await assert.rejects(client.get('/none?x=1'));
    const [first, second, ...others] = await requests();
    assert.deepEqual(others, []);
    assert(first && second);
    const { time, durationMs, headers: sent, content, ...rest } = first;
    assert.deepEqual(rest, {
      ...{ method: 'POST', target: LIST, route: LIST, status: 400, requestId: 'r1' },
      contentBytes: Buffer.byteLength(body),
    });
    assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert(durationMs >= 0);
    assert.deepEqual([sent['x-a'], sent.authorization, sent.cookie], ['b', undefined, undefined]);
    assert.equal(Buffer.byteLength(content ?? ''), 4096 - ((4096 - '{"title":"'.length) % 2));
    assert.deepEqual([second.target, second.status, second.content], ['/none?x=1', null, null]);
  });

  it('has refused requests: with their fields, of no path for bytes that are not a request', async (test) => {
    const { baseUrl, requests } = await start(test);
    const port = Number(new URL(baseUrl).port);
    const fields =
      'Host: localhost\r\nX-A: b\r\nx-a:  c \r\nX-Request-Id: r1\r\nCookie: secret\r\n';
    await exchangeBytes(port, `MKCOL ${LIST} HTTP/1.1\r\nConnection: close\r\n${fields}\r\n`);
    await exchangeBytes(port, `FOO ${LIST} HTTP/1.1\r\n${fields}\r\n`);
    const half = await RawClient.connect(port);
    await half.send(createRequest().slice(0, -5)).finish().toEnd();
    const [other, unknown, cut, ...others] = await requests();
    assert.deepEqual(others, []);
    assert(other && unknown && cut);
    assert.deepEqual([other.method, other.status], ['MKCOL', 405]);
    const { connection, ...sent } = other.headers;
    assert.deepEqual(sent, { host: 'localhost', 'x-a': 'b, c', 'x-request-id': 'r1' });
    assert.deepEqual([unknown.method, unknown.target, unknown.status], ['', '', 400]);
    assert.deepEqual(unknown.headers, {});
    assert.deepEqual(
      [cut.method, cut.status, cut.content, cut.contentBytes],
      ['POST', 400, null, 0],
    );
  });

  it('can be filtered, and emptied', async (test) => {
    const { client, admin, requests } = await start(test);
    for (const path of [LIST, itemPath(1), itemPath(99), '/livez', '/readyz', '/metrics']) {
      await client.get(path);
    }
    await client.delete(itemPath(1));
    const targets = async (query: string) => (await requests(query)).map(({ target }) => target);
    assert.deepEqual(await targets(''), [LIST, itemPath(1), itemPath(99), itemPath(1)]);
    assert.deepEqual(await targets('?method=DELETE'), [itemPath(1)]);
    assert.deepEqual(await targets('?status=404'), [itemPath(99)]);
    assert.deepEqual(await targets(`?path=${itemPath(9)}`), []);
    assert.deepEqual(await targets(`?path=${itemPath(99)}`), [itemPath(99)]);
    assert.deepEqual(await targets(`?route=${LIST}`), [LIST]);
    const bad = ['x=1', 'status=x', 'limit=2', 'method=get', 'path=x', `path=${LIST}/`];
    const others = ['route=x', 'path=/admin', 'waitMs=60001', 'count=x', 'count=1&count=2'];
    for (const query of [...bad, ...others].map((each) => `?${each}`)) {
      const answer = await admin('GET', `/admin/requests${query}`);
      assertProblem(answer, 400, 'invalid-parameter');
    }
    assert.equal((await admin('DELETE', '/admin/requests')).status, 204);
    assert.deepEqual(await targets(''), []);
  });

  it('keeps the last 1,000 requests, or 1 MiB of them', async (test) => {
    const { baseUrl, admin, requests } = await start(test);
    const client = await RawClient.connect(Number(new URL(baseUrl).port));
    test.after(() => client.destroy());
    for (let first = 1; first <= 1010; first += 10) {
      const ids = Array.from({ length: 10 }, (_, i) => first + i);
      await client.send(ids.map((id) => getRequest(itemPath(id))).join('')).take(10);
    }
    const few = await requests();
    assert.equal(few.at(-1)?.target, itemPath(1010));
    assert.equal(few.length, 1000);
    await admin('DELETE', '/admin/requests');
    const body = JSON.stringify({ title: 'x', other: 'x'.repeat(9000) });
    for (let i = 0; i < 30; i++) await client.send(createRequest({ body }).repeat(10)).take(10);
    const large = await requests();
    const bytes = large.reduce((sum, entry) => sum + Buffer.byteLength(JSON.stringify(entry)), 0);
    assert(bytes <= 2 ** 20 && bytes > 2 ** 20 - 5000, `${large.length} entries, ${bytes} bytes`);
  });
});

describe('cutting streams', () => {
  it('ends those that are open, and clients go on from where they were', async (test) => {
    const { admin, client, baseUrl } = await startAdmin(test, variant);
    const events = await EventClient.open(baseUrl);
    await events.next();
    await client.post(LIST, { title: 'seen' });
    await events.next();
    assert.equal((await admin('DELETE', '/admin/streams')).status, 204);
    await events.ended();
    await client.post(LIST, { title: 'missed' });
    const next = await EventClient.open(baseUrl, events.lastEventId);
    assert.match((await next.take(2))[1]?.data ?? '', /missed/);
    next.close();
  });
});

describe('the token', () => {
  it('can be in a file', async (test) => {
    const folder = mkdtempSync(join(tmpdir(), 'token-'));
    test.after(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'token');
    for (const lineEnd of ['\n', '\r\n']) {
      writeFileSync(file, `${TOKEN}${lineEnd}`);
      const { baseUrl } = await startApp(test, variant, { env: { ADMIN_TOKEN_FILE: file } });
      const client = new Client(baseUrl);
      test.after(() => client.close());
      assert.equal((await client.get('/admin/faults', AUTHORIZED)).status, 200);
    }
    const both = { ADMIN_TOKEN: TOKEN, ADMIN_TOKEN_FILE: file };
    assert.throws(
      () => appOf(variant, { env: both }),
      /set ADMIN_TOKEN or ADMIN_TOKEN_FILE, not both/,
    );
    writeFileSync(file, 'two words');
    const bad = { ADMIN_TOKEN_FILE: file };
    assert.throws(() => appOf(variant, { env: bad }), /ADMIN_TOKEN_FILE must name a file/);
    const none = { ADMIN_TOKEN_FILE: join(folder, 'none') };
    assert.throws(() => appOf(variant, { env: none }), /cannot be read/);
  });
});
