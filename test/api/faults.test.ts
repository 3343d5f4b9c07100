import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { startTodoService } from '../../src/package/index.ts';
import { testControl } from '../../src/package/test-control.ts';
import { Journal } from '../../src/service/journal/journal.ts';
import { variantB as variant } from '../../src/service/todo/variant-b.ts';
import { SEED, startAdmin } from '../support/admin.ts';
import { ManualTimers } from '../support/clock.ts';
import { EventClient } from '../support/events.ts';
import { EVENTS, itemPath, LIST } from '../support/paths.ts';
import { createRequest, getRequest } from '../support/raw-requests.ts';
import type { Todo } from '../support/requests.ts';
import { appOf, startApp } from '../support/service.ts';
import { turnsUntil, within } from '../support/within.ts';
import { assertProblem, violationsIn } from './suite.ts';

const HOUR_MS = 3_600_000;

async function start(test: TestContext, options: Parameters<typeof startAdmin>[2] = {}) {
  const service = await startAdmin(test, variant, options);
  const { client, setFaults, faults, connect } = service;
  const hits = async () => (await faults()).map((fault) => fault.hits);
  /** The status of the response to each of some requests, one after the other. */
  const statuses = async (...paths: readonly string[]) => {
    const all: number[] = [];
    for (const path of paths) all.push((await client.get(path)).status);
    return all;
  };
  /** Removes all faults, and counts the items. */
  const count = async () => {
    await setFaults();
    return (await client.get(LIST)).json<Todo[]>().length;
  };
  /** Sends a request on its own connection. Returns all bytes received, and how it ended. */
  const sent = async (request: string) => {
    const raw = await connect();
    let text = '';
    raw.socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    const end = await raw.send(request).ended;
    const [head = '', content = ''] = text.split('\r\n\r\n');
    return { head, content, end };
  };
  /** The violations of an invalid fault. @param basePath of the service */
  const errorsOf = async (fault: object, basePath = '') => {
    const answer = await service.admin('PUT', `${basePath}/admin/faults`, { faults: [fault] });
    return assertProblem(answer, 400, 'validation-failed').errors ?? [];
  };
  return { ...service, hits, statuses, count, sent, errorsOf };
}

it('a fault responds for a path without a route when the content has arrived', async (test) => {
  const { connect, setFaults, requests } = await start(test);
  await setFaults({ path: '/api/login', status: 200, content: { token: 't' } });
  const raw = await connect();
  const head = 'POST /api/login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 8\r\n\r\n';
  await raw.sendApart(head, 'name');
  assert.equal(raw.socket.bytesRead, 0);
  const answer = await raw.send('=ann').next();
  assert.equal(answer?.status, 200);
  const refused = await raw.send(head.replace('login', 'other')).next();
  assert.equal(refused?.status, 404, 'before its content');
  const [entry] = await requests('?path=/api/login');
  assert.equal(entry?.content, 'name=ann');
  assert.equal(entry.contentBytes, 8);
});

it('faults can be listed and deleted', async (test) => {
  const { admin, client } = await start(test);
  const faults = [
    { method: 'GET', path: LIST, delayMs: 20, rate: 0.5, status: 503 },
    // Generated clients send empty objects for fields that are not set.
    { path: '/x', requestHeaders: {}, abort: 'before', headers: {} },
  ];
  const { detail } = assertProblem(
    await admin('PUT', '/admin/faults', faults),
    400,
    'malformed-body',
  );
  assert(detail.endsWith('; send {"faults": […]}'), detail);
  const set = await admin('PUT', '/admin/faults', { faults });
  const listed = { faults: faults.map((fault) => ({ ...fault, hits: 0 })) };
  assert.deepEqual(set.json(), listed);
  assert.deepEqual((await admin('GET', '/admin/faults')).json(), listed);
  assert.deepEqual((await admin('DELETE', '/admin/faults')).json(), { faults: [] });
  assert.equal((await client.get(LIST)).status, 200);
});

describe('a fault matches', () => {
  it('paths by whole segments, and routes exactly', async (test) => {
    const { setFaults, statuses } = await start(test);
    const item = itemPath(1);
    for (const [scope, hit, missed] of [
      [{ path: item }, [item, `${item}/below`, `${item}?x=1`], [itemPath(10), LIST]],
      [{ route: LIST }, [LIST, `${LIST}?search=x`], [item]],
      [{ route: `${LIST}/{id}` }, [item, itemPath(7)], [LIST]],
      [{ path: '/' }, [LIST, '/', '/none', '/openapi.json', '/livezz'], []],
      [{ route: '/' }, ['/'], [LIST]],
    ] as const) {
      await setFaults({ ...scope, status: 418 });
      assert.deepEqual(new Set(await statuses(...hit)), new Set([418]), JSON.stringify(scope));
      assert(!(await statuses(...missed)).includes(418), JSON.stringify(scope));
    }
  });

  it('header fields that have the value, one of several', async (test) => {
    const { client, setFaults } = await start(test);
    await setFaults({ requestHeaders: { 'X-Test': 'two' }, status: 503 });
    assert.equal((await client.get(LIST, { 'x-test': 'two' })).status, 503);
    assert.equal((await client.get(LIST, { 'x-test': 'three' })).status, 200);
    assert.equal((await client.get(LIST)).status, 200);
  });

  it('no preflights, unless its method is OPTIONS', async (test) => {
    const { client, setFaults } = await start(test);
    const headers = { origin: 'http://localhost:1', 'access-control-request-method': 'PUT' };
    const preflight = () => client.request('OPTIONS', LIST, { headers });
    await setFaults({ status: 503 });
    assert.equal((await preflight()).status, 204);
    assert.equal((await client.request('OPTIONS', LIST)).status, 503);
    await setFaults({ status: 503, method: 'OPTIONS' });
    assert.equal((await preflight()).status, 503);
  });

  it('no probes, metrics and admin paths', async (test) => {
    const { admin, setFaults, statuses } = await start(test);
    await setFaults({ abort: 'before' });
    assert.deepEqual(await statuses('/livez', '/readyz', '/metrics'), [200, 200, 200]);
    assert.equal((await admin('GET', '/admin/faults')).status, 200);
  });

  it('no request that is malformed, or for another host', async (test) => {
    const { setFaults, sent, hits } = await start(test);
    await setFaults({ abort: 'before' });
    for (const [fields, status] of [
      ['', 400],
      ['Host: a\r\nHost: b\r\n', 400],
      ['Host: a\r\nContent-Length: +1\r\n', 400],
      ['Host: abc.example\r\nConnection: close\r\n', 421],
    ] as const) {
      const { head } = await sent(`PUT ${LIST} HTTP/1.1\r\n${fields}\r\n`);
      assert(head.startsWith(`HTTP/1.1 ${status} `), fields);
    }
    assert.deepEqual(await hits(), [0]);
  });
});

describe('a fault that matches', () => {
  it('spares the first requests, a share of the later ones, and all after its hits', async (test) => {
    const { setFaults, statuses } = await start(test);
    await setFaults({ status: 503, rate: 0.5, skip: 60, times: 2 });
    const seen = await statuses(...Array<string>(200).fill(itemPath(1)));
    const hit = seen.flatMap((status, at) => (status === 503 ? [at] : []));
    // One in 2^133 runs has fewer hits.
    assert.equal(hit.length, 2);
    assert.ok(
      hit.every((at) => at >= 60),
      `${hit}`,
    );
  });

  it('has the content of a request for an unknown path, whichever of several faults it is', async (test) => {
    const { client, setFaults, requests } = await start(test);
    await setFaults({ path: '/none', status: 503 }, { path: LIST, status: 502 });
    assert.equal((await client.post('/none', { a: 1 })).status, 503);
    assert.deepEqual(
      (await requests()).map(({ content }) => content),
      ['{"a":1}'],
    );
  });

  it('counts requests for itself alone', async (test) => {
    const { setFaults, statuses, hits } = await start(test);
    await setFaults(
      { status: 501, rate: 0 },
      { delayMs: 1, times: 2 },
      { method: 'POST', status: 504 },
      { path: LIST, status: 502, skip: 3, times: 1 },
      { method: 'GET', status: 503, skip: 1 },
    );
    const targets = [LIST, LIST, '/none', LIST, LIST, LIST];
    assert.deepEqual(await statuses(...targets), [200, 503, 503, 503, 502, 503]);
    assert.deepEqual(await hits(), [0, 2, 0, 1, 4]);
  });

  it('hits by its rate a part of many requests', async (test) => {
    const { client, setFaults, hits } = await start(test);
    await setFaults({ rate: 0.3, status: 503 }, { skip: 1, headers: { 'X-Hit': '1' } });
    for (let i = 0; i < 300; i++) await client.get(itemPath(1));
    const [some = 0, all] = await hits();
    // 90 are expected. One run in 10^12 is further off.
    assert.ok(some > 33 && some < 147, `${some} hits`);
    assert.equal(all, 299);
  });
});

describe('a fault with a delay', () => {
  for (const delayMs of [1, HOUR_MS]) {
    it(`holds requests for ${delayMs} ms`, async (test) => {
      const { setFaults, requests, connect } = await start(test);
      await setFaults({ delayMs, method: 'POST' });
      const timers = new ManualTimers(test, (ms) => ms === delayMs);
      const client = await (await connect()).sendApart(createRequest());
      assert.deepEqual(
        (await requests()).map(({ status }) => status),
        [null],
      );
      await timers.end();
      assert.equal((await client.next())?.status, 201);
    });
  }

  it('ends when the client disconnects; then nothing is carried out', async (test) => {
    const { requests, setFaults, connect, count } = await start(test);
    await setFaults({ delayMs: 60_000, method: 'POST' });
    const waiting = await connect();
    await waiting.sendApart(createRequest());
    waiting.reset();
    await turnsUntil('the request is in the journal', async () => (await requests()).length > 0);
    assert.equal(await count(), SEED.length);
  });

  for (const delay of ['delayMs', 'responseDelayMs']) {
    it(`with ${delay} refuses requests for which there is no room, and keeps those that wait`, async (test) => {
      const { setFaults, connect } = await start(test, { http: { places: 9 } });
      await setFaults({ [delay]: 60_000, method: 'GET', path: LIST });
      const clients = await Promise.all(Array.from({ length: 20 }, connect));
      for (const each of clients) await each.sendApart(getRequest(LIST));
      const refused = clients.filter(({ socket }) => socket.bytesRead > 0);
      assert(refused.length > 10 && refused.length < 20, `${refused.length} are refused`);
      for (const each of refused) assert.equal((await each.next())?.status, 503);
      await setFaults();
      for (const each of clients) {
        if (!refused.includes(each)) assert.equal((await each.next())?.status, 200);
      }
    });
  }

  it('with responseDelayMs keeps the response of a write that is done, however little room there is', async (test) => {
    const { setFaults, connect } = await start(test, { http: { places: 0 } });
    await setFaults({ responseDelayMs: 60_000, method: 'POST' });
    const clients = await Promise.all(Array.from({ length: 5 }, connect));
    for (const each of clients) await each.sendApart(createRequest());
    await setFaults();
    for (const each of clients) assert.equal((await each.next())?.status, 201);
  });
});

it('a held list has a place and no permit, and then shows the state at which it was carried out', async (test) => {
  const { app, client, setFaults, connect } = await start(test, { http: { permits: 1 } });
  const batch = Array.from({ length: 60 }, () => ({ title: 'x', description: 'y'.repeat(900) }));
  for (let i = 0; i < 2; i++) await client.post(`${LIST}/batch`, batch);
  const { text: before } = await client.get(LIST);
  await setFaults({ method: 'GET', path: LIST, responseDelayMs: HOUR_MS });
  const clients = await Promise.all(Array.from({ length: 20 }, connect));
  for (const each of clients) await each.sendApart(getRequest(LIST));
  const { admission } = app.control.server;
  await turnsUntil('all are held', () => admission.takenPlaces === clients.length);
  assert.equal(admission.takenPermits, 0);
  assert.equal((await client.patch(`${LIST}?id.gte=1`, { description: 'later' })).status, 200);
  await setFaults();
  for (const each of clients) {
    const response = await each.next();
    assert.equal(response?.status, 200);
    assert(response?.text === before);
  }
  await turnsUntil('nothing is taken', () => admission.takenPlaces + admission.takenPermits === 0);
});

describe('a fault with a status', () => {
  it('responds with its own content and type, whatever the status', async (test) => {
    const { client, setFaults, count } = await start(test);
    const content = '<h1>Bad Gateway — é</h1>';
    const headers = { 'content-TYPE': 'text/html', 'Cache-Control': 'max-age=60' };
    await setFaults({ status: 502, headers, content });
    const page = await client.post(LIST, { title: 'x' });
    assert.deepEqual([page.status, page.text], [502, content]);
    assert.equal(page.headers['content-type'], 'text/html');
    assert.equal(page.headers['cache-control'], 'max-age=60');
    await setFaults({ status: 200, content: '' });
    const empty = await client.get(LIST);
    assert.deepEqual([empty.status, empty.text, empty.headers['content-length']], [200, '', '0']);
    assert.equal(empty.headers['content-type'], 'text/plain; charset=utf-8');
    assert.equal(empty.headers['cache-control'], 'no-store');
    assert.equal(await count(), SEED.length);
  });

  it('has a problem from 400 on, which other origins can read, else no content', async (test) => {
    const { client, setFaults } = await start(test, { env: { CORS_ORIGINS: '*' } });
    for (const status of [200, 201, 202, 203, 204, 205, 206, 301, 304, 307, 399]) {
      await setFaults({ status, headers: { location: '/x' } });
      const answer = await client.get(LIST);
      assert.deepEqual([answer.status, answer.text, answer.headers.location], [status, '', '/x']);
      assert.equal(answer.headers['content-type'], undefined);
    }
    for (const status of [400, 404, 451, 599]) {
      await setFaults({ status });
      const answer = await client.delete(itemPath(1));
      assertProblem(answer, status, 'injected-fault');
      assert.equal(answer.headers['access-control-allow-origin'], '*');
    }
    await setFaults({ status: 503, headers: { 'Content-Type': 'text/html' } });
    assert.equal((await client.get(LIST)).headers['content-type'], 'text/html');
  });

  it('sends content that is not a text as JSON, with all digits', async (test) => {
    const { client, admin, adminText, sent, setFaults } = await start(test);
    const put = async (content: string, headers = '{}') => {
      const body = `{"faults":[{"status":200,"headers":${headers},"content":${content}}]}`;
      const answer = await adminText('PUT', '/admin/faults', body);
      assert.equal(answer.status, 200, answer.text);
      return answer.text;
    };
    for (const content of [
      ...['null', 'true', '0', '12345678901234567890123', '[]'],
      '{"token":"é","id":9007199254740993,"list":[-1.5,null,{}]}',
    ]) {
      const listed = await put(content);
      assert(listed.endsWith(`"content":${content},"hits":0}]}`), listed);
      assert.equal((await admin('GET', '/admin/faults')).text, listed);
      const answer = await client.get(LIST);
      assert.deepEqual(
        [answer.text, answer.headers['content-type']],
        [content, 'application/json'],
      );
    }
    await put('{"title":"x"}', '{"content-type":"application/vnd.api+json"}');
    const { head, content } = await sent(getRequest(LIST, 'Connection: close\r\n'));
    assert.match(head, /^content-type: application\/vnd\.api\+json$/m);
    assert.doesNotMatch(head, /^Content-Type/m);
    assert.equal(content, '{"title":"x"}');
    await setFaults({ status: 200, content: '{"a":1}' });
    const text = await client.get(LIST);
    assert.deepEqual(
      [text.text, text.headers['content-type']],
      ['{"a":1}', 'text/plain; charset=utf-8'],
    );
  });

  it('sends names of fields as they are written, with each value, but no second X-Request-Id', async (test) => {
    const { sent, setFaults } = await start(test);
    const headers = {
      ...{ ETag: 'x', 'www-Authenticate': 'x', 'X-RateLimit-Limit': 'x', 'DPoP-Nonce': 'x' },
      ...{ 'set-cookie': ['a=1', 'b=2'], 'cache-control': ['no-cache', 'private'] },
      'Content-Type': ['text/html'],
    };
    await setFaults({ status: 503, headers: { ...headers, 'x-request-id': 'theirs' } });
    const fields = 'Connection: close\r\nX-Request-Id: mine\r\n';
    const { head } = await sent(getRequest(LIST, fields));
    const own = /^(HTTP|Date|Connection|Content-Length|Vary)/;
    const lines = head.split('\r\n').filter((line) => !own.test(line));
    const expected = Object.entries(headers).flatMap(([name, values]) =>
      [values].flat().map((value) => `${name}: ${value}`),
    );
    const added = ['Content-Security-Policy: sandbox', 'X-Content-Type-Options: nosniff'];
    assert.deepEqual(lines.sort(), [...expected, ...added, 'X-Request-Id: mine'].sort());
  });

  it('keeps the connection open for the next request', async (test) => {
    const { sent, setFaults } = await start(test);
    await setFaults({ status: 200, content: 'x' });
    const { head } = await sent(getRequest(LIST) + getRequest(LIST, 'Connection: close\r\n'));
    assert.match(head, /^HTTP\/1\.1 200 .*Content-Length: 1\r\n/s);
  });
});

describe('a fault that aborts', () => {
  it('closes the connection, or resets it; after, the request has been carried out', async (test) => {
    const { client, sent, setFaults, count, baseUrl } = await start(test);
    for (const [abort, end, created] of [
      ['before', 'closed', 0],
      ['reset', 'reset', 0],
      ['after', 'closed', 1],
    ] as const) {
      await setFaults({ abort });
      assert.deepEqual(await sent(createRequest()), { head: '', content: '', end }, abort);
      await assert.rejects(EventClient.open(baseUrl));
      assert.equal(await count(), SEED.length + created, abort);
      const { text } = await client.get('/metrics');
      const attributes = `http_request_method="POST",http_route="${LIST}",url_scheme="http"`;
      assert(text.includes(`_count{${attributes}} `), 'it has no status');
    }
  });

  it('closes after half of the response to a request that was carried out', async (test) => {
    const { sent, setFaults, count } = await start(test);
    await setFaults({ method: 'POST', abort: 'truncate' });
    const { head, content, end } = await sent(createRequest());
    assert.match(head, /^HTTP\/1\.1 201 /);
    const [, length] = /Content-Length: (\d+)/.exec(head) ?? [];
    assert.equal(content.length, Math.floor(Number(length) / 2));
    assert.equal(end, 'closed');
    assert.equal(await count(), SEED.length + 1);
  });

  it('cuts the content of a fault, too, and chunked content before the last chunk', async (test) => {
    const { admin, sent, setFaults } = await start(test);
    await setFaults({ status: 502, content: '0123456789', abort: 'truncate' });
    assert.equal((await sent(getRequest(LIST))).content, '01234');
    const items = Array.from({ length: 2000 }, () => ({ title: 'x'.repeat(200) }));
    await admin('POST', '/admin/reset', items);
    await setFaults({ abort: 'truncate' });
    const { head, content } = await sent(getRequest(LIST));
    assert.match(head, /Transfer-Encoding: chunked/);
    assert(content.length > 1000 && content.length < 400_000, `${content.length} bytes`);
    assert.doesNotMatch(content, /\r\n0\r\n/);
    const events = await sent(getRequest(EVENTS));
    assert.match(events.head, /^HTTP\/1\.1 200 /);
    assert.doesNotMatch(events.content, /\n\n/);
    assert.equal(events.end, 'closed');
  });

  it('sends a response without content as it is', async (test) => {
    const { client, sent, setFaults, count, requests } = await start(test);
    await setFaults({ abort: 'truncate' });
    assert.equal((await client.delete(itemPath(1))).status, 204);
    const head = (path: string) => `HEAD ${path} HTTP/1.1\r\nHost: localhost\r\n`;
    const both = await sent(`${head(LIST)}\r\n${head(EVENTS)}Connection: close\r\n\r\n`);
    for (const each of [both.head, both.content]) assert.match(each, /^HTTP\/1\.1 200 /);
    await setFaults({ status: 503, content: '', abort: 'truncate' });
    assert.equal((await client.get(LIST)).status, 503);
    assert.deepEqual(
      (await requests()).map(({ status }) => status),
      [204, 200, 200, 503],
    );
    assert.equal(await count(), SEED.length - 1);
  });
});

describe('a fault that stalls', () => {
  it('holds neither permit nor content, but a place among the requests that wait', async (test) => {
    const { app, client, admin, setFaults, connect } = await start(test, { http: { permits: 1 } });
    const { admission } = app.control.server;
    const seed = Array.from({ length: 2_000 }, () => ({
      title: 'x',
      description: 'y'.repeat(180),
    }));
    assert.equal((await admin('POST', '/admin/reset', seed)).status, 204);
    await setFaults({ method: 'GET', path: LIST, abort: 'stall' });
    const stalled = [];
    for (let sent = 1; sent <= 5; sent++) {
      const each = (await connect()).send(getRequest(LIST));
      await turnsUntil('half of the first part', () => each.socket.bytesRead > 100_000);
      await turnsUntil('its permit is back', () => admission.takenPermits === 0);
      assert.equal(admission.takenPlaces, sent);
      stalled.push(each);
    }
    await setFaults();
    for (const each of stalled) assert.equal(await each.ended, 'closed');
    assert.equal((await client.get(LIST)).status, 200);
    await turnsUntil('the places are free', () => admission.takenPlaces === 0);
  });

  it('is refused without a place, but a write that is done keeps its response', async (test) => {
    const { setFaults, connect, count } = await start(test, { http: { places: 1 } });
    await setFaults({ abort: 'stall' });
    const first = (await connect()).send(getRequest(LIST));
    await turnsUntil('the first one has half', () => first.socket.bytesRead > 0);
    assert.equal((await (await connect()).send(getRequest(LIST)).next())?.status, 503);
    const write = await connect();
    let received = '';
    write.socket.on('data', (chunk) => {
      received += chunk;
    });
    write.send(createRequest());
    await turnsUntil('half of the item', () => received.includes('"id":4'));
    assert.match(received, /^HTTP\/1\.1 201 /);
    assert.equal(await count(), SEED.length + 1);
    assert.equal(await write.ended, 'closed');
  });

  it('ends when its client goes, and frees its place', async (test) => {
    const { app, setFaults, connect, requests } = await start(test);
    await setFaults({ abort: 'stall' });
    for (const leave of ['reset', 'finish'] as const) {
      const gone = (await connect()).send(getRequest(LIST));
      await turnsUntil('it has half', () => gone.socket.bytesRead > 0);
      gone[leave]();
    }
    await turnsUntil('both have ended', async () =>
      (await requests()).every(({ durationMs }) => durationMs !== null),
    );
    assert.equal(app.control.server.admission.takenPlaces, 0);
  });
});

describe('the faults of all lists', () => {
  const content = 'é'.repeat(500);
  const fault = { status: 200, content };
  const bytes = Buffer.byteLength(JSON.stringify(fault));

  it('have their share of memory: more are 507, and change nothing', async (test) => {
    const options = { faultBytes: 3 * bytes + 1 };
    const { admin, client, setFaults } = await start(test, options);
    const put = (list: string, ...faults: readonly object[]) =>
      admin('PUT', `${list}/admin/faults`, { faults });
    for (const name of ['anna', 'ben']) await admin('PUT', `/admin/lists/${name}`);
    assert.equal((await put('/lists/anna', fault, fault)).status, 200);
    assert.equal((await put('/lists/ben', fault)).status, 200);
    const refused = await put('', { status: 418 });
    const { detail } = assertProblem(refused, 507, 'store-full');
    assert.equal(
      detail,
      `The faults of all lists have at most ${3 * bytes + 1} bytes; remove some`,
    );
    assertProblem(await put('/lists/ben', fault, { delayMs: 1 }), 507, 'store-full');
    assert.equal((await client.get(`/lists/ben${LIST}`)).text, content, 'they are as before');
    // Their own bytes count as free, and those of lists that are gone, or begin again.
    assert.equal((await put('/lists/anna', fault, fault)).status, 200);
    assert.equal((await put('/lists/anna', fault)).status, 200);
    /** How many of these faults the base list may have. */
    const room = async () => {
      for (let count = 4; ; count--) {
        if ((await put('', ...Array(count).fill(fault))).status === 200) return count;
      }
    };
    assert.equal(await room(), 1);
    assert.equal((await admin('DELETE', '/admin/lists/anna')).status, 204);
    assert.equal(await room(), 2);
    assert.equal((await admin('POST', '/lists/ben/admin/reset')).status, 204);
    assert.equal(await room(), 3);
    await setFaults();
    assert.equal((await put('/lists/ben', fault, fault, fault)).status, 200);
  });

  it('reject in process, too', async (test) => {
    const { app } = await startApp(test, variant, { isInProcess: true, faultBytes: bytes });
    const { paths, lists } = app.control;
    const stop = { checkRunning: () => {}, endReason: 'a stop' };
    const { faults } = testControl(paths, lists.base, stop);
    assert.equal((await faults([fault])).length, 1);
    await assert.rejects(faults([fault, { pass: true }]), {
      name: 'InvalidInputError',
      message: `the list of faults is invalid: it does not fit: The faults of all lists have at most ${bytes} bytes; remove some`,
    });
    assert.equal((await faults()).length, 1);
  });
});

describe('invalid faults', () => {
  it('change nothing, and get all violations with their pointers and codes', async (test) => {
    const { admin, setFaults, faults } = await start(test);
    await setFaults({ path: '/kept', status: 503 });
    for (const [body, ...violations] of [
      [{}, '#/faults required'],
      [{ faults: null }, '#/faults not-null'],
      [{ faults: {} }, '#/faults type'],
      [{ faults: Array(101).fill({ path: '/x', status: 503 }) }, '#/faults max-items'],
      [{ faults: [], fault: [] }, '#/fault unknown'],
      [{ faults: [7, {}] }, '#/faults/0 type', '#/faults/1 required'],
      [{ faults: [{ rate: 0.5 }] }, '#/faults/0 required'],
      [{ faults: [{ status: 503, 'a/b~c': 1 }] }, '#/faults/0/a~1b~0c unknown'],
      [{ faults: [{ status: 503, '\ud800': 1 }] }, '#/faults/0/%EF%BF%BD unknown'],
      [
        { faults: [{ status: 503, query: { '\ud800': 'x' } }] },
        '#/faults/0/query/%EF%BF%BD well-formed',
      ],
      [{ faults: [{ status: 200, content: { '\ud800': 1 } }] }, '#/faults/0/content value'],
      [
        {
          faults: [
            { status: 199, path: '/x' },
            { status: 503, rate: 2, foo: 1 },
          ],
        },
        '#/faults/0/status value',
        '#/faults/1/rate value',
        '#/faults/1/foo unknown',
      ],
    ] as const) {
      const answer = await admin('PUT', '/admin/faults', body);
      assert.deepEqual(violationsIn(answer), violations);
    }
    assert.deepEqual(await faults(), [{ path: '/kept', status: 503, hits: 0 }]);
  });

  it('name each member that is not allowed', async (test) => {
    const { errorsOf } = await start(test);
    for (const [fault, members] of [
      [{ delayMs: -1, method: 'get', abort: 1, status: 503.5 }, 'method,delayMs,abort,status'],
      [{ delayMs: 1, path: 'x' }, 'path'],
      [{ delayMs: 1, path: `${LIST}/` }, 'path'],
      [{ delayMs: 1, path: `${LIST}?x=1` }, 'path'],
      [{ delayMs: 1, method: {} }, 'method'],
      ...['NONE', 'CONNECT'].map((method) => [{ delayMs: 1, method }, 'method'] as const),
      ...[{ 'a b': 'x' }, { a: ['b'] }, { a: 'b', A: 'c' }].map(
        (requestHeaders) => [{ delayMs: 1, requestHeaders }, 'requestHeaders'] as const,
      ),
      ...['before', 'after', 'reset'].map((abort) => [{ status: 503, abort }, 'status'] as const),
      [{ delayMs: 1, content: '' }, 'content'],
      [{ delayMs: 1, content: null }, 'content'],
      [{ status: 204, content: '' }, 'content'],
      [{ status: 205, content: '' }, 'content'],
      [{ status: 304, content: null }, 'content'],
      [{ delayMs: 3_600_001 }, 'delayMs'],
      [{ status: {}, abort: 'later' }, 'abort,status'],
      [{ status: 600 }, 'status'],
      [{ status: 200.5 }, 'status'],
      [{ delayMs: 1, times: 0 }, 'times'],
      [{ delayMs: 1, skip: -1 }, 'skip'],
      [{ abort: 'later' }, 'abort'],
    ] as const) {
      const pointers = (await errorsOf(fault)).map(({ pointer }) => pointer);
      const expected = members.split(',').map((member) => `#/faults/0/${member}`);
      assert.deepEqual(pointers, expected, JSON.stringify(fault));
    }
  });

  it('name the fields that are not allowed', async (test) => {
    const { errorsOf } = await start(test);
    for (const [headers, name] of [
      [{ 'Retry-After': '1', Connection: 'close' }, 'Connection'],
      [{ 'Content-Length': '1', 'Proxy-Connection': 'x' }, 'Content-Length", "Proxy-Connection'],
      [{ 'access-control-allow-origin': '*' }, 'access-control-allow-origin'],
      [{ 'a b': 'c' }, 'a b'],
      [{ 'Retry-After': 1 }, 'Retry-After'],
      [{ 'Set-Cookie': ['a=1', 2] }, 'Set-Cookie'],
      [{ a: 'é€' }, 'a'],
      [{ a: 'b\nc' }, 'a'],
      [{ 'Set-Cookie': 'a=1', 'set-cookie': 'b=2' }, 'set-cookie'],
    ] as const) {
      const [{ pointer, detail } = {}] = await errorsOf({ status: 503, headers });
      assert.equal(pointer, '#/faults/0/headers');
      assert(detail?.endsWith(`or an array of such texts; see "${name}"`), detail);
    }
  });

  it('name the nearest route', async (test) => {
    const { errorsOf } = await start(test, { env: { BASE_PATH: '/base' } });
    for (const [route, hint] of [
      [`${LIST}/id`, `; did you mean ${LIST}/{id}?`],
      [`${LIST}/:id`, `; did you mean ${LIST}/{id}?`],
      [`${LIST}/`, `; did you mean ${LIST}?`],
      [`${LIST}/batches`, `; did you mean ${LIST}/batch?`],
      ['/livez', ''],
      ['/metrics', ''],
      [7, ''],
    ] as const) {
      const errors = await errorsOf({ route, status: 503 }, '/base');
      const allowed = 'must be the template of a path as in the journal, such as /api/todos/{id}';
      const detail = `${allowed}, not ${JSON.stringify(route)}${hint}`;
      assert.deepEqual(errors, [{ pointer: '#/faults/0/route', code: 'value', detail }]);
    }
  });

  it('have a path as clients send it; for a template, the detail names route', async (test) => {
    const { admin, errorsOf } = await start(test, { env: { BASE_PATH: '/base' } });
    const detailOf = async (path: string) => {
      const [{ pointer, code, detail } = assert.fail(), ...others] = await errorsOf(
        { path, status: 503 },
        '/base',
      );
      assert.deepEqual([pointer, code, others], ['#/faults/0/path', 'value', []]);
      return detail;
    };
    for (const path of ['{id}', ':id', '*', '**', '<id>', '{id}/x', 'a*b', ':id/x']) {
      const detail = await detailOf(`/base${LIST}/${path}`);
      assert.match(detail, /; use route for templates such as \/api\/todos\/\{id\}$/);
    }
    for (const path of ['"', '%zz', '%2', 'a b', 'é', '`', '\\', '?a', '#a', '']) {
      assert.match(await detailOf(`/base${LIST}/${path}`), /not "[^;]+"$/, path);
    }
    for (const path of ['/livez', '/admin/faults', '/admin', '/metrics']) {
      assert.match(await detailOf(`/base${path}`), /; probes, metrics and \/admin are exempt$/);
    }
    for (const path of [LIST, '/based', '/basé']) {
      assert.match(await detailOf(path), /; all paths are below \/base$/);
    }
    for (const path of [
      '/',
      '/base',
      '/base/api/login',
      `/base${LIST}/%C3%A9`,
      '/base/a:b;c=[1]',
    ]) {
      const faults = [{ path, status: 503 }];
      assert.equal((await admin('PUT', '/base/admin/faults', { faults })).status, 200, path);
    }
  });

  it('name the member that was probably meant', async (test) => {
    const { admin, errorsOf } = await start(test);
    for (const [name, hint] of [
      ['body', 'did you mean content?'],
      ['jsonBody', 'did you mean content?'],
      ['statusCode', 'did you mean status?'],
      ['delay', 'did you mean delayMs?'],
      ['header', 'did you mean headers?'],
      [
        'seconds',
        'use method, path, route, requestHeaders, query, skip, rate, times, delayMs, delayMaxMs, responseDelayMs, responseDelayMaxMs, abort, status, headers, content, contentPatch, pass',
      ],
    ] as const) {
      const errors = await errorsOf({ abort: 'after', [name]: 1 });
      const detail = `is unknown; ${hint}`;
      assert.deepEqual(errors, [{ pointer: `#/faults/0/${name}`, code: 'unknown', detail }]);
    }
    const misspelt = await admin('PUT', '/admin/faults', { fault: [] });
    assert.deepEqual(violationsIn(misspelt), ['#/fault unknown']);
  });
});

describe('FAULTS', () => {
  const faults =
    '[{"status":503,"times":2},{"path":"/api/login","status":200,"content":{"id":9007199254740993}}]';

  it('holds from the start, without a token, and there is no journal', async (test) => {
    const { client, app } = await startApp(test, variant, { env: { FAULTS: faults } });
    const statuses: number[] = [];
    for (let i = 0; i < 3; i++) statuses.push((await client.get(LIST)).status);
    assert.deepEqual(statuses, [503, 503, 200]);
    assert.equal((await client.get('/api/login')).text, '{"id":9007199254740993}');
    assert.equal((await client.get('/livez')).status, 200);
    assert.equal((await client.get('/admin/faults')).status, 404);
    assert.throws(() => app.base.list.feature(Journal), /lists have no Journal/);
  });

  it('holds again after each reset, and can be removed until then', async (test) => {
    const { admin, statuses, hits, setFaults } = await start(test, { env: { FAULTS: faults } });
    assert.deepEqual(await statuses(LIST, LIST, LIST), [503, 503, 200]);
    assert.deepEqual(await hits(), [2, 0]);
    assert.equal((await admin('POST', '/admin/reset')).status, 204);
    assert.deepEqual(await hits(), [0, 0]);
    assert.deepEqual(await statuses(LIST, LIST, LIST), [503, 503, 200]);
    await setFaults({ status: 418 });
    assert.deepEqual(await statuses(LIST), [418]);
    assert.deepEqual((await admin('DELETE', '/admin/faults')).json(), { faults: [] });
    assert.deepEqual(await statuses(LIST), [200]);
    assert.equal((await admin('POST', '/admin/reset', [{ title: 'x' }])).status, 204);
    assert.deepEqual(await statuses(LIST, LIST, LIST), [503, 503, 200]);
  });

  it('is an invalid setting if a fault is invalid, and the line has the first ten violations', async () => {
    const messageOf = (list: string) => {
      try {
        appOf(variant, { env: { FAULTS: list } });
      } catch (error) {
        return error instanceof Error ? error.message : undefined;
      }
      return undefined;
    };
    const form = 'FAULTS must be a JSON array of faults, such as [{"delayMs": 300}]';
    for (const list of ['{', '{}', '7', '[', 'x']) assert.equal(messageOf(list), form);
    for (const quote of ['"', "'"]) {
      const quoted = `${quote}[{"delayMs": 300, "requestHeaders": {"X": "a-secret"}}]${quote}`;
      const hint = '; leave out the quotes around it (an env file of Docker keeps them)';
      assert.equal(messageOf(quoted), form + hint);
    }
    assert.equal(
      messageOf('[{"delayMs":1},{"delay":300,"route":"/none"}]'),
      'FAULTS is invalid: 2 violations: ' +
        '(1) #/1/route must be the template of a path as in the journal, such as /api/todos/{id}, not "/none" ' +
        '(2) #/1/delay is unknown; did you mean delayMs?',
    );
    const many = `[${Array(12).fill('{}')}]`;
    assert.match(messageOf(many) ?? '', /^FAULTS is invalid: 12 violations: .*\(10\) #\/9 [^#]*$/);
    assert.match(
      messageOf(`[${Array(101).fill('{"delayMs":1}')}]`) ?? '',
      /^FAULTS is invalid: it must have at most/,
    );
    await assert.rejects(startTodoService({ env: { FAULTS: '[{}]' } }), {
      name: 'InvalidInputError',
      violations: [
        {
          pointer: '#/0',
          code: 'required',
          detail:
            'must have one of delayMs, responseDelayMs, status, headers, contentPatch, abort, pass',
        },
      ],
    });
  });
});

for (const [method, faults] of [
  ['DELETE', undefined],
  ['PUT', [{ status: 503 }]],
] as const) {
  it(`a delay ends when the faults change, and the rest of its fault happens: ${method}`, async (test) => {
    const { admin, setFaults, connect } = await startAdmin(test, variant);
    await setFaults(
      { method: 'GET', delayMs: HOUR_MS },
      { method: 'POST', delayMs: HOUR_MS, status: 502 },
    );
    const [got, posted] = await Promise.all([connect(), connect()]);
    await got.sendApart(getRequest(LIST));
    await posted.sendApart(createRequest());
    await admin(method, '/admin/faults', faults && { faults });
    assert.deepEqual([(await got.next())?.status, (await posted.next())?.status], [200, 502]);
  });
}

it('both delays of a fault end when the faults change', async (test) => {
  const { setFaults, requests, connect } = await startAdmin(test, variant);
  await setFaults({ method: 'GET', delayMs: HOUR_MS, responseDelayMs: HOUR_MS });
  const client = (await connect()).send(getRequest(LIST));
  await turnsUntil('it has arrived', async () => (await requests()).length > 0);
  await setFaults();
  assert.equal((await client.next())?.status, 200);
});

it('a stop ends delays, also for requests that arrive later, and waits for their responses', async (test) => {
  const { app, admin, setFaults, connect } = await startAdmin(test, variant);
  await setFaults({ method: 'POST', delayMs: HOUR_MS });
  const [client, other] = await Promise.all([connect(), connect()]);
  const waiting = admin('GET', '/admin/requests?waitMs=60000&count=9');
  await client.sendApart(createRequest());
  await other.sendApart(createRequest().slice(0, -1));
  const stopped = app.stop(5_000);
  other.send(createRequest().slice(-1));
  assert.equal((await client.next())?.status, 201);
  assert.equal((await other.next())?.status, 201);
  assert.equal((await waiting).status, 200);
  assert.equal(await within('the stop', stopped), true);
});
