import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
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

  it('require the token, whether a route has the path or not', async (test) => {
    const { client, admin } = await startAdmin(test, variant);
    const wrong = ['', 'Bearer', 'Bearer x', `Bearer ${TOKEN}x`, `Bearer ${TOKEN.slice(0, -1)}`];
    for (const authorization of [undefined, ...wrong, `Basic ${TOKEN}`, TOKEN]) {
      const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
      for (const path of ['/admin/reset', '/admin/faults', '/admin/', '/admin/none']) {
        for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) {
          const answer = await client.request(method, path, { headers });
          assertProblem(answer, 401, 'unauthorized');
          assert.equal(answer.headers['www-authenticate'], 'Bearer');
          assert.equal(answer.headers['cache-control'], 'no-store');
        }
      }
    }
    assertProblem(await admin('GET', '/admin/none'), 404, 'unknown-path');
    assertProblem(await admin('GET', '/admin/reset'), 405, 'method-not-allowed');
    const lower = { authorization: `bearer ${TOKEN}` };
    assert.equal((await client.get('/admin/faults', lower)).status, 200);
  });

  it('require the token in one field only', async (test) => {
    const { baseUrl } = await startAdmin(test, variant);
    const right = `Authorization: Bearer ${TOKEN}\r\n`;
    const wrong = 'authorization: Bearer other\r\n';
    for (const fields of [right + wrong, wrong + right, right + right]) {
      const request = getRequest('/admin/faults', `Connection: close\r\n${fields}`);
      const [response] = (await exchangeBytes(Number(new URL(baseUrl).port), request)).responses;
      assert.equal(response?.status, 401, JSON.stringify(fields));
    }
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
});

it('the token can be in a file', async (test) => {
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
  assert.throws(() => appOf(variant, { env: both }), /set ADMIN_TOKEN or .*_FILE, not both/);
  writeFileSync(file, 'two words');
  const bad = { ADMIN_TOKEN_FILE: file };
  assert.throws(() => appOf(variant, { env: bad }), /ADMIN_TOKEN_FILE must name a file/);
  const none = { ADMIN_TOKEN_FILE: join(folder, 'none') };
  assert.throws(() => appOf(variant, { env: none }), /cannot be read/);
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
