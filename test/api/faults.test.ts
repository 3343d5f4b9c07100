import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clock } from '../../src/lib/clock.ts';
import { variantB as variant } from '../../src/service/todo/variant-b.ts';
import { AUTHORIZED, SEED, startAdmin } from '../support/admin.ts';
import type { Todo } from '../support/client.ts';
import { EventClient } from '../support/events.ts';
import { EVENTS, itemPath, LIST } from '../support/paths.ts';
import { RawClient } from '../support/raw.ts';
import { createRequest, getRequest } from '../support/raw-requests.ts';
import { assertProblem } from './suite.ts';

describe('faults', () => {
  it('can be listed and deleted', async (test) => {
    const { admin, client } = await startAdmin(test, variant);
    const faults = [
      { method: 'GET', path: LIST, delayMs: 20, rate: 0.5, status: 503 },
      { path: '/x', abort: 'before' },
    ];
    const given = [faults[0], { path: '/x', abort: 'before', headers: {}, times: undefined }];
    const set = await admin('PUT', '/admin/faults', { faults: given });
    const listed = { faults: faults.map((fault) => ({ ...fault, hits: 0 })) };
    assert.deepEqual(set.json(), listed);
    assert.deepEqual((await admin('GET', '/admin/faults')).json(), listed);
    assert.deepEqual((await admin('DELETE', '/admin/faults')).json(), { faults: [] });
    assert.equal((await client.get(LIST)).status, 200);
  });

  it('are set, and the response says so, where there is no time for long ones', async (test) => {
    const { baseUrl } = await startAdmin(test, variant, { http: { maxTasks: 0 } });
    const client = await RawClient.connect(Number(new URL(baseUrl).port));
    test.after(() => client.destroy());
    const body = '{"faults":[{"status":503}]}';
    const authorized = `Authorization: ${AUTHORIZED.authorization}\r\n`;
    const fields = `${authorized}Content-Length: ${body.length}\r\n`;
    const put = createRequest({ path: '/admin/faults', fields, body }).replace('POST', 'PUT');
    // By this clock, what the first request does takes all the time of a turn.
    let time = 0;
    test.mock.method(clock, 'now', () => time++);
    client.send(getRequest('/admin/requests', authorized) + put);
    const statuses = (await client.take(2)).map(({ status }) => status);
    assert.deepEqual(statuses, [200, 200]);
  });

  it('respond with a problem that other origins can read, and write nothing', async (test) => {
    const { client, setFaults } = await startAdmin(test, variant, { env: { CORS_ORIGINS: '*' } });
    for (const status of [400, 404, 429, 500, 503, 599]) {
      await setFaults({ status });
      const answer = await client.post(LIST, { title: 'x' });
      assertProblem(answer, status, 'injected-fault');
      assert.equal(answer.headers['access-control-allow-origin'], '*');
      assert.equal((await client.delete(itemPath(1))).status, status);
    }
    await setFaults();
    assert.equal((await client.get(LIST)).json<Todo[]>().length, SEED.length);
  });

  it('close the connection without a response, and write nothing', async (test) => {
    const { client, setFaults } = await startAdmin(test, variant);
    await setFaults({ abort: 'before', method: 'POST' });
    await assert.rejects(client.post(LIST, { title: 'x' }));
    assert.equal((await client.get(LIST)).json<Todo[]>().length, SEED.length);
  });

  it('delay requests', async (test) => {
    const { client, setFaults } = await startAdmin(test, variant);
    await setFaults({ delayMs: 3_600_000 });
    const delays: number[] = [];
    const { setTimeout } = clock;
    test.mock.method(clock, 'setTimeout', (callback: () => void, ms: number) => {
      if (ms < 3_600_000) return setTimeout(callback, ms);
      delays.push(ms);
      return setTimeout(callback, 0);
    });
    assert.equal((await client.post(LIST, { title: 'x' })).status, 201);
    assert.deepEqual(delays, [3_600_000]);
  });

  it('wait no longer than there is a client; then nothing is carried out', async (test) => {
    const { admin, client, setFaults, baseUrl } = await startAdmin(test, variant);
    await setFaults({ delayMs: 60_000, method: 'POST' });
    const waiting = await RawClient.connect(Number(new URL(baseUrl).port));
    await waiting.sendApart(createRequest());
    waiting.socket.resetAndDestroy();
    const isOver = async () => {
      const { requests } = (await admin('GET', '/admin/requests')).json<{ requests: unknown[] }>();
      return requests.length > 0;
    };
    while (!(await isOver()));
    assert.equal((await client.get(LIST)).json<Todo[]>().length, SEED.length);
  });

  it('refuse to delay a request that there is no memory for', async (test) => {
    const http = { maxClientBytes: 1024 * 1024 };
    const { setFaults, baseUrl } = await startAdmin(test, variant, { http });
    await setFaults({ delayMs: 60_000, method: 'POST' });
    const body = `{"title":"x","other":"${'y'.repeat(60_000)}"}`;
    const port = Number(new URL(baseUrl).port);
    const waiting = await Promise.all(Array.from({ length: 20 }, () => RawClient.connect(port)));
    for (const each of waiting) each.send(createRequest({ body }));
    const first = await Promise.race(waiting.map((each) => each.next().catch(() => undefined)));
    assert.equal(first?.status, 503);
    assert.match(first.text, /"code":"overloaded"/);
    for (const each of waiting) each.destroy();
  });

  it('hit the share of requests given by the rate', async (test) => {
    const { client, setFaults } = await startAdmin(test, variant);
    await setFaults({ status: 503, rate: 0.3 });
    let hit = 0;
    for (let i = 0; i < 200; i++) if ((await client.get(itemPath(1))).status === 503) hit++;
    assert(hit > 20 && hit < 110, `${hit} of 200`);
  });

  it('are a script: they let requests pass first, and end after their hits', async (test) => {
    const { client, admin, setFaults } = await startAdmin(test, variant);
    const path = LIST;
    await setFaults(
      { path, status: 503, headers: { 'Retry-After': '1' }, times: 2 },
      { path, status: 500, skip: 1, times: 1 },
    );
    const answers = [];
    for (let i = 0; i < 6; i++) answers.push(await client.get(LIST));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [503, 503, 200, 500, 200, 200],
    );
    assert.deepEqual(
      answers.map(({ headers }) => headers['retry-after']),
      ['1', '1', undefined, undefined, undefined, undefined],
    );
    const { faults } = (await admin('GET', '/admin/faults')).json<{ faults: { hits: number }[] }>();
    assert.deepEqual(
      faults.map(({ hits }) => hits),
      [2, 1],
    );
  });

  it('set fields of any case, but none beside one of the service', async (test) => {
    const { client, setFaults } = await startAdmin(test, variant);
    const headers = { 'x-request-id': 'theirs', 'retry-AFTER': '1' };
    await setFaults({ status: 503, headers });
    const answer = await client.request('GET', LIST, { headers: { 'x-request-id': 'mine' } });
    assert.equal(answer.headers['x-request-id'], 'mine');
    assert.equal(answer.headers['retry-after'], '1');
  });

  it('have integers by their text, not by what a double makes of it', async (test) => {
    const { client } = await startAdmin(test, variant);
    const headers = { ...AUTHORIZED, 'content-type': 'application/json' };
    for (const [member, number, status] of [
      ['times', '2.9999999999999999', 400],
      ['status', '1e-400', 400],
      ['skip', '3.0', 200],
      ['rate', '0.99999999999999999', 200],
    ] as const) {
      const body = `{"faults":[{"delayMs":0,"${member}":${number}}]}`;
      const answer = await client.request('PUT', '/admin/faults', { headers, body });
      assert.equal(answer.status, status, answer.text);
    }
  });

  it('can lose the response of a request that is carried out', async (test) => {
    const { client, setFaults, baseUrl } = await startAdmin(test, variant);
    await setFaults({ method: 'POST', abort: 'after', times: 1 }, { path: EVENTS, abort: 'after' });
    await assert.rejects(client.post(LIST, { title: 'carried out' }));
    const todos = (await client.get(LIST)).json<Todo[]>();
    assert.equal(todos.at(-1)?.title, 'carried out');
    await assert.rejects(EventClient.open(baseUrl));
  });

  it('spare preflights, unless that is their method', async (test) => {
    const { client, setFaults } = await startAdmin(test, variant);
    const headers = { origin: 'http://localhost:1', 'access-control-request-method': 'PUT' };
    const preflight = () => client.request('OPTIONS', LIST, { headers });
    await setFaults({ status: 503 });
    assert.equal((await preflight()).status, 204);
    assert.equal((await client.request('OPTIONS', LIST)).status, 503);
    await setFaults({ status: 503, method: 'OPTIONS' });
    assert.equal((await preflight()).status, 503);
  });

  it('never hit probes, metrics and the admin paths', async (test) => {
    const { client, admin, setFaults } = await startAdmin(test, variant);
    await setFaults({ path: '/', status: 503 }, { abort: 'before' });
    for (const path of ['/livez', '/readyz', '/metrics']) {
      assert.equal((await client.get(path)).status, 200, path);
    }
    assert.equal((await admin('GET', '/admin/faults')).status, 200);
    assert.equal((await client.get('/livezz')).status, 503);
  });

  it('apply before routing', async (test) => {
    const { client, setFaults } = await startAdmin(test, variant);
    await setFaults({ status: 503 });
    assert.equal((await client.get('/none')).status, 503);
    assert.equal((await client.request('TRACE', LIST)).status, 503);
  });

  it('are rejected if invalid, each with its pointer, and nothing changes', async (test) => {
    const { admin, client, setFaults } = await startAdmin(test, variant);
    await setFaults({ path: '/kept', status: 503 });
    for (const [body, pointers] of [
      [{}, ['#/faults']],
      [{ faults: {} }, ['#/faults']],
      [{ faults: [], fault: [] }, ['#/fault']],
      [{ faults: [7, {}] }, ['#/faults/0', '#/faults/1']],
      [{ faults: [{ rate: 0.5 }] }, ['#/faults/0']],
      [{ faults: [{ status: 503, 'a/b~c': 1 }] }, ['#/faults/0/a~1b~0c']],
      [{ faults: [{ status: 503, '\ud800': 1 }] }, ['#/faults/0/%EF%BF%BD']],
      [
        {
          faults: [
            { status: 199, path: '/x' },
            { status: 503, rate: 2, foo: 1 },
          ],
        },
        ['#/faults/0/status', '#/faults/1/rate', '#/faults/1/foo'],
      ],
      [
        {
          faults: [{ delayMs: -1, method: 'get', path: 'x', abort: 1, status: 503.5 }],
        },
        ['delayMs', 'method', 'path', 'abort', 'status'].map((member) => `#/faults/0/${member}`),
      ],
    ] as const) {
      const answer = await admin('PUT', '/admin/faults', body);
      const { errors = [] } = assertProblem(answer, 400, 'validation-failed');
      assert.deepEqual(
        errors.map(({ pointer }) => pointer),
        pointers,
      );
    }
    for (const [fault, member] of [
      [{ status: 503, path: `${LIST}?x=1` }, 'path'],
      [{ status: 503, path: '/admin/faults' }, 'path'],
      [{ status: 503, path: `${LIST}/` }, 'path'],
      [{ status: 503, path: '/livez' }, 'path'],
      [{ status: 503, route: `${LIST}/` }, 'route'],
      [{ status: 503, route: '/metrics' }, 'route'],
      [{ status: 503, requestHeaders: { 'a b': 'x' } }, 'requestHeaders'],
      [{ status: 503, requestHeaders: { a: ['b'] } }, 'requestHeaders'],
      [{ status: 503, requestHeaders: { a: 'b', A: 'c' } }, 'requestHeaders'],
      [{ status: 503, method: 'NONE' }, 'method'],
      [{ status: 503, method: 'CONNECT' }, 'method'],
      [{ status: 503, path: '/a b' }, 'path'],
      [{ status: 503, path: '/é' }, 'path'],
      [{ status: 503, abort: 'before' }, 'status'],
      [{ status: 503, abort: 'after' }, 'status'],
      [{ status: 503, abort: 'reset' }, 'status'],
      [{ delayMs: 1, headers: { a: 'b' } }, 'headers'],
      [{ delayMs: 1, content: '' }, 'content'],
      [{ status: 204, content: '' }, 'content'],
      [{ status: 200, content: 7 }, 'content'],
      [{ status: 600 }, 'status'],
      [{ status: 503, headers: { 'Content-Length': '1' } }, 'headers'],
      [{ status: 503, headers: { 'access-control-allow-origin': '*' } }, 'headers'],
      [{ status: 503, headers: { 'a b': 'c' } }, 'headers'],
      [{ status: 503, headers: { a: 'b\nc' } }, 'headers'],
      [{ status: 503, times: 0 }, 'times'],
      [{ status: 503, skip: -1 }, 'skip'],
      [{ abort: 'later' }, 'abort'],
      [{ abort: true }, 'abort'],
      [{ delayMs: 1, query: { test: '1' } }, 'query'],
      [{ delayMs: 1, seconds: 1 }, 'seconds'],
      [{ delayMs: 1, jitterMs: 1 }, 'jitterMs'],
      [{ delayMs: 1, bytesPerSecond: 1 }, 'bytesPerSecond'],
    ] as const) {
      const response = await admin('PUT', '/admin/faults', { faults: [fault] });
      const { errors = [] } = assertProblem(response, 400, 'validation-failed');
      assert.deepEqual(
        errors.map(({ pointer }) => pointer),
        [`#/faults/0/${member}`],
      );
    }
    for (const [headers, name] of [
      [{ 'Retry-After': '1', Connection: 'close' }, 'Connection'],
      [{ 'Retry-After': 1 }, 'Retry-After'],
      [{ 'Set-Cookie': ['a=1', 2] }, 'Set-Cookie'],
      [{ a: 'é€' }, 'a'],
      [{ 'Set-Cookie': 'a=1', 'set-cookie': 'b=2' }, 'set-cookie'],
    ] as const) {
      const answer = await admin('PUT', '/admin/faults', { faults: [{ status: 503, headers }] });
      const { errors: [{ detail } = {}] = [] } = assertProblem(answer, 400, 'validation-failed');
      assert(detail?.endsWith(`or an array of such texts; see "${name}"`), detail);
    }
    // More than `JSON.parse` can read, and `JSON.stringify` could show.
    const content = '{"faults":[{"delayMs":1e400}]}';
    const headers = { ...AUTHORIZED, 'content-type': 'application/json' };
    const tooLong = await client.request('PUT', '/admin/faults', { headers, body: content });
    assertProblem(tooLong, 400, 'validation-failed');
    for (const [body, code] of [
      [{}, 'required'],
      [{ faults: null }, 'not-null'],
      [{ faults: {} }, 'type'],
      [{ faults: Array.from({ length: 101 }, () => ({ status: 503 })) }, 'max-items'],
      [{ faults: [{ status: 503, statuss: 1 }] }, 'unknown'],
      [{ faults: [{ times: 1 }] }, 'required'],
    ] as const) {
      const response = await admin('PUT', '/admin/faults', body);
      const { errors = [] } = assertProblem(response, 400, 'validation-failed');
      assert.deepEqual(
        errors.map((each) => each.code),
        [code],
      );
    }
    const { faults } = (await admin('GET', '/admin/faults')).json<{ faults: unknown[] }>();
    assert.deepEqual(faults, [{ path: '/kept', status: 503, hits: 0 }]);
  });
});
