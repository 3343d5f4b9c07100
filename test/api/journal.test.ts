import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { LogFields } from '../../src/lib/log.ts';
import { startTodoService } from '../../src/package/index.ts';
import { Faults } from '../../src/service/faults/faults.ts';
import { Journal } from '../../src/service/journal/journal.ts';
import { variantB as variant } from '../../src/service/todo/variant-b.ts';
import { AUTHORIZED, startAdmin, TOKEN } from '../support/admin.ts';
import { ManualClock, ManualTimers } from '../support/clock.ts';
import { itemPath, LIST } from '../support/paths.ts';
import { turns } from '../support/raw.ts';
import { createRequest, getRequest } from '../support/raw-requests.ts';
import { VARIANTS } from '../support/service.ts';
import { turnsUntil } from '../support/within.ts';
import { assertProblem } from './suite.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const HOUR_MS = 3_600_000;

/** Names of header fields whose values the journal hides. */
const SECRETS = [
  ...['authorization', 'proxy-authorization', 'cookie', 'x-csrf-token', 'x-auth-tokens'],
  ...['x-api-key', 'apikey', 'client-secret', 'x-auth', 'x-jwt', 'x-session-id'],
];

it('the journal has a request from its arrival on, and then its outcome', async (test) => {
  const { admin, setFaults, requests, connect } = await startAdmin(test, variant);
  await setFaults({ delayMs: HOUR_MS });
  const client = await connect();
  await client.sendApart(createRequest().slice(0, -5));
  assert.deepEqual(await requests(), []);
  await client.sendApart(createRequest().slice(-5));
  const [waiting] = await requests();
  assert(waiting);
  assert.deepEqual([waiting.status, waiting.durationMs], [null, null]);
  assert.deepEqual([waiting.method, waiting.content], ['POST', '{"title":"sent raw"}']);
  await admin('DELETE', '/admin/faults');
  assert.equal((await client.next())?.status, 201);
  const [over] = await requests();
  assert(typeof over?.durationMs === 'number');
  assert.deepEqual({ ...over, status: null, durationMs: null }, waiting);
  assert.equal(over.status, 201);
});

it('an entry has the request as sent, with hidden credentials', async (test) => {
  const { client, requests, connect } = await startAdmin(test, variant);
  const secrets = Object.fromEntries(SECRETS.map((name) => [name, 'hidden']));
  const headers = { ...secrets, 'x-request-id': 'r1', 'X-a': 'b', 'X-Author': 'me' };
  const body = JSON.stringify({ title: 'é'.repeat(3000) });
  const type = { 'content-type': 'application/json' };
  await client.request('POST', LIST, { headers: { ...headers, ...type }, body });
  const [target, referer] = [
    `http://u:p@h${LIST}?search=http://a&title=x@y`,
    'https://u:p@a.example/',
  ];
  const withUsers = getRequest(target).replace('Host:', `Referer: ${referer}\r\nHost:`);
  assert.equal((await (await connect()).send(withUsers).next())?.status, 400);
  const [first, second] = await requests();
  assert(first && second);
  const { time, durationMs, headers: sent, content, ...rest } = first;
  assert.deepEqual(rest, {
    ...{ number: 1, method: 'POST', target: LIST, route: LIST, status: 400, requestId: 'r1' },
    contentBytes: Buffer.byteLength(body),
  });
  assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert(durationMs !== null && durationMs >= 0);
  for (const name of SECRETS) assert.equal(sent[name], '[…]', name);
  assert.deepEqual([sent['x-a'], sent['x-author']], ['b', 'me']);
  assert.doesNotMatch(JSON.stringify(first), /hidden/);
  assert.equal(Buffer.byteLength(content ?? ''), 4096 - ((4096 - '{"title":"'.length) % 2));
  assert.deepEqual([second.target, second.headers.referer], [target, referer]);
});

for (const variant of VARIANTS) {
  it(`secrets are masked where they are shown, and found as they were sent: ${variant.name}`, async (test) => {
    const lines: LogFields[] = [];
    const service = await startAdmin(test, variant, {
      env: { ACCESS_LOG: 'on' },
      log: (_, message, fields) => void (message === 'request' && lines.push(fields ?? {})),
    });
    const { client, requests, app } = service;
    const target = `${LIST}?access_token=t1&title.contains=token`;
    const headers = { 'x-jwt': 'j1', referer: 'http://h/?api_key=k1&b=c' };
    assert.equal((await client.get(target, headers)).status, 400);
    const shown = `${LIST}?access_token=[…]&title.contains=token`;
    const [entry] = await requests();
    assert.equal(entry?.target, shown);
    assert.equal(entry.headers['x-jwt'], '[…]');
    assert.equal(entry.headers.referer, 'http://h/?api_key=[…]&b=c');
    assert.equal(lines[0]?.target, shown);
    assert.doesNotMatch(JSON.stringify([entry, lines]), /[tjk]1/);
    const count = async (query: string) => (await requests(`?${query}`)).length;
    assert.equal(await count('header=X-JWT:j1&query=access_token%3Dt1'), 1);
    assert.equal(await count(`header=X-JWT:${encodeURIComponent('[…]')}`), 0);
    assert.equal(await count(`query=${encodeURIComponent('access_token=[…]')}`), 0);
    const journal = app.base.list.feature(Journal);
    assert.equal(journal.list({ requestHeaders: { 'X-JWT': 'j1' } })[0]?.target, shown);
  });
}

it('the journal finds requests by parameters of their query string, after decoding', async (test) => {
  const { client, admin, requests } = await startAdmin(test, variant);
  for (const query of [
    '',
    '?search=milk&limit=2',
    '?limit=2&search=oat+%6dilk',
    '?search',
    '?x=%',
  ]) {
    await client.get(LIST + query);
  }
  for (const [query, ...found] of [
    ['query=search=milk', '?search=milk&limit=2'],
    ['query=search%3Dmilk&query=limit%3D2', '?search=milk&limit=2'],
    ['query=limit%3D2', '?search=milk&limit=2', '?limit=2&search=oat+%6dilk'],
    ['query=search%3Doat%20milk', '?limit=2&search=oat+%6dilk'],
    ['query=search', '?search'],
    ['query=search%3D', '?search'],
    ['query=Search%3Dmilk'],
    ['query=search%3Dmil'],
    ['query=x%3D%25'],
  ] as const) {
    const targets = (await requests(`?${query}`)).map(({ target }) => target);
    assert.deepEqual(
      targets,
      found.map((each) => LIST + each),
      query,
    );
  }
  const twice = await admin('GET', '/admin/requests?query=a=1&query=a=2');
  const { detail } = assertProblem(twice, 400, 'invalid-parameter');
  assert.equal(detail, 'query must not have "a" twice');
});

it('a wait finds the request with a query, in process and over HTTP', async (test) => {
  const service = await startTodoService({ env: { ADMIN_TOKEN: TOKEN } });
  test.after(() => service.stop());
  const filter = { method: 'GET', route: LIST, query: { search: 'milk' } };
  const found = service.waitForRequests(filter);
  const path = '/admin/requests?query=search%3Dmilk&waitMs=60000';
  const overHttp = fetch(service.url + path, { headers: AUTHORIZED });
  await fetch(service.url + LIST);
  await fetch(`${service.url}${LIST}?search=milk`);
  const targets = (await found).map(({ target }) => target);
  assert.deepEqual(targets, [`${LIST}?search=milk`]);
  assert.equal(JSON.parse(await (await overHttp).text()).requests.length, 1);
  await assert.rejects(service.requests(Object({ query: { search: 1 } })), {
    name: 'InvalidInputError',
    message: 'the filter is invalid: #/query/search must be a string of well-formed Unicode, not 1',
  });
});

it('the journal has refused requests: bytes that are not a request have no path', async (test) => {
  const { requests, connect } = await startAdmin(test, variant);
  const fields = 'Host: localhost\r\nX-A: b\r\nx-a:  c \r\nX-Request-Id: r1\r\nCookie: secret\r\n';
  for (const line of [`MKCOL ${LIST} HTTP/1.1\r\nConnection: close`, `FOO ${LIST} HTTP/1.1`]) {
    await (await connect()).send(`${line}\r\n${fields}\r\n`).toEnd();
  }
  await (await connect()).send(createRequest().slice(0, -5)).finish().toEnd();
  const [other, unknown, cut, ...others] = await requests();
  assert.deepEqual(others, []);
  assert(other && unknown && cut);
  assert.deepEqual([other.method, other.status], ['MKCOL', 405]);
  const { connection, ...sent } = other.headers;
  const expected = { host: 'localhost', 'x-a': 'b, c', 'x-request-id': 'r1', cookie: '[…]' };
  assert.deepEqual(sent, expected);
  assert.deepEqual([unknown.method, unknown.target, unknown.status], ['', '', 400]);
  assert.deepEqual(unknown.headers, {});
  assert.deepEqual([cut.method, cut.status, cut.content, cut.contentBytes], ['POST', 400, null, 0]);
});

it('a granted preflight for an unknown path has its status, as a fault for preflights has', async (test) => {
  const { setFaults, requests, connect } = await startAdmin(test, variant);
  await setFaults({ method: 'OPTIONS', path: '/api/broken', status: 503 });
  const client = await connect();
  const fields = 'Origin: http://localhost:5173\r\nAccess-Control-Request-Method: PUT\r\n';
  for (const [path, status] of [
    ['/api/none', 204],
    ['/api/broken', 503],
  ] as const) {
    const response = await client.send(getRequest(path, fields).replace('GET', 'OPTIONS')).next();
    assert.equal(response?.status, status);
    const [entry] = await requests(`?path=${path}`);
    assert.equal(entry?.status, status, path);
  }
});

it('entries come in the order in which the requests began, with those times', async (test) => {
  const { client, connect, requests } = await startAdmin(test, variant);
  const clock = new ManualClock(test);
  const slow = await (await connect()).sendApart(createRequest().slice(0, -5));
  clock.skip(3_000);
  await client.get(LIST);
  assert.equal((await slow.send(createRequest().slice(-5)).next())?.status, 201);
  const [first, second] = await requests();
  assert.deepEqual([first?.method, second?.method], ['POST', 'GET']);
  const between = Date.parse(second?.time ?? '') - Date.parse(first?.time ?? '');
  assert.equal(between, 3_000);
});

it('an entry keeps the status null where no response was sent', async (test) => {
  const { admin, setFaults, requests, connect } = await startAdmin(test, variant);
  await setFaults({ method: 'POST', abort: 'after' }, { method: 'GET', delayMs: HOUR_MS });
  await (await connect()).send(createRequest()).ended;
  const gone = await connect();
  await gone.sendApart(getRequest(LIST));
  gone.reset();
  await turnsUntil('both requests have ended', async () =>
    (await requests()).every(({ durationMs }) => durationMs !== null),
  );
  await admin('DELETE', '/admin/faults');
  const outcomes = (await requests()).map(({ method, status }) => [method, status]);
  assert.deepEqual(outcomes, [
    ['POST', null],
    ['GET', null],
  ]);
});

it('an entry has the status of a request that is refused while a fault holds it', async (test) => {
  const { app, client, connect } = await startAdmin(test, variant, {
    http: { places: 1 },
  });
  const { list } = app.base;
  list.feature(Faults).set([{ delayMs: HOUR_MS }]);
  await (await connect()).sendApart(getRequest(LIST));
  assertProblem(await client.get(LIST), 503, 'overloaded');
  assert.deepEqual(
    list
      .feature(Journal)
      .list()
      .map(({ status }) => status),
    [null, 503],
  );
});

it('a program finds the entries whose status is null', async (test) => {
  const service = await startTodoService();
  test.after(() => service.stop());
  await service.faults([{ abort: 'before', times: 1 }]);
  await assert.rejects(fetch(service.url + LIST));
  await fetch(service.url + LIST);
  assert.equal((await service.requests({ status: null })).length, 1);
  await assert.rejects(service.requests({ status: 0 }), /status must be .* not 0$/);
});

it('the journal can be filtered, and emptied', async (test) => {
  const { client, admin, requests } = await startAdmin(test, variant);
  for (const path of [LIST, itemPath(1), itemPath(99), '/livez', '/readyz', '/metrics']) {
    await client.get(path);
  }
  await client.delete(itemPath(1));
  for (const [query, ...targets] of [
    ['', LIST, itemPath(1), itemPath(99), itemPath(1)],
    ['?method=DELETE', itemPath(1)],
    ['?status=404', itemPath(99)],
    [`?path=${itemPath(9)}`],
    [`?path=${itemPath(99)}&_=1`, itemPath(99)],
    [`?route=${LIST}`, LIST],
  ] as const) {
    const found = (await requests(query)).map(({ target }) => target);
    assert.deepEqual(found, targets, query);
  }
  const bad = ['x=1', 'status=x', 'limit=2', 'method=get', 'path=x', `path=${LIST}/`];
  const others = [
    ...['route=x', 'path=/admin', 'waitMs=60001', 'count=x', 'count=0', 'count=1001'],
    ...['count=1&count=2', 'method=GET&method=GET'],
  ];
  for (const query of [...bad, ...others]) {
    const answer = await admin('GET', `/admin/requests?${query}`);
    const { detail } = assertProblem(answer, 400, 'invalid-parameter');
    assert.doesNotMatch(detail, /NaN/);
  }
  const filtered = await admin('DELETE', '/admin/requests?method=GET');
  assertProblem(filtered, 400, 'invalid-parameter');
  assert.equal((await admin('DELETE', '/admin/requests?_=1')).status, 204);
  assert.deepEqual(await requests(), []);
  const { headers } = await admin('GET', '/admin/requests');
  assert.equal(headers['cache-control'], 'no-store');
});

it('the journal keeps the last 1,000 requests, or 1 MiB of them', async (test) => {
  const { admin, requests, connect } = await startAdmin(test, variant);
  const client = await connect();
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

it('an entry ends with a whole character, wherever its content is cut', async (test) => {
  const { client, requests } = await startAdmin(test, variant);
  const headers = { 'content-type': 'application/json' };
  const offsets = [0, 1, 2, 3];
  for (const offset of offsets) {
    const body = 'x'.repeat(offset) + '😀'.repeat(2_000);
    await client.request('POST', LIST, { headers, body });
  }
  const contents = (await requests()).map(({ content }) => content);
  const expected = offsets.map((offset) => {
    const characters = Math.floor((4096 - offset) / 4);
    return 'x'.repeat(offset) + '😀'.repeat(characters);
  });
  assert.deepEqual(contents, expected);
});

it('entries of long contents keep no memory of their sockets', async (test) => {
  const { app, connect } = await startAdmin(test, variant);
  const client = await connect();
  const body = 'x'.repeat(65_536);
  const usedBytes = () => {
    collectGarbage();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  const send = async (count: number) => {
    for (let i = 0; i < count; i += 10)
      await client.send(createRequest({ body }).repeat(10)).take(10);
  };
  await send(50);
  app.base.list.feature(Journal).clear();
  const before = usedBytes();
  // More than the journal holds.
  await send(300);
  // Buffers are freed beside this thread.
  await turnsUntil('less than 4 MiB are left', () => usedBytes() - before < 4 * 2 ** 20, 500);
});

it('a request for the journal waits until `count` requests match, answered or not', async (test) => {
  const { client, setFaults, requests, connect } = await startAdmin(test, variant);
  const two = requests('?method=POST&waitMs=60000&count=2');
  await client.post(LIST, { title: 'one' });
  await client.get(LIST);
  await setFaults({ delayMs: HOUR_MS });
  await (await connect()).sendApart(createRequest());
  const outcomes = (await two).map(({ method, status }) => [method, status]);
  assert.deepEqual(outcomes, [
    ['POST', 201],
    ['POST', null],
  ]);
  const failed = requests('?status=503&waitMs=60000');
  await setFaults({ status: 503 });
  await client.get(LIST);
  assert.equal((await failed).length, 1);
  assert.equal((await requests('?waitMs=60000&count=1')).length, 4);
  assert.equal((await requests('?waitMs=0&count=5')).length, 4);
});

it('a wait, like a delay, goes on after the client has ended its side', async (test) => {
  const { client, setFaults, connect } = await startAdmin(test, variant);
  const waiting = await connect();
  const fields = `Authorization: ${AUTHORIZED.authorization}\r\n`;
  await waiting.sendApart(getRequest('/admin/requests?waitMs=60000&method=POST', fields));
  await setFaults({ method: 'GET', delayMs: HOUR_MS });
  const delayed = await connect();
  await delayed.sendApart(getRequest(LIST));
  waiting.finish();
  delayed.finish();
  await turns(20);
  await client.post(LIST, { title: 'x' });
  assert.match((await waiting.next())?.text ?? '', /"method":"POST"/);
  await setFaults();
  assert.equal((await delayed.next())?.status, 200);
});

it('a request for the journal waits at most `waitMs`, and then gets the requests that match', async (test) => {
  const { client, requests } = await startAdmin(test, variant);
  await client.get(LIST);
  const timers = new ManualTimers(test, (ms) => ms === 30_000);
  const waiting = requests('?waitMs=30000&count=2');
  await turns(50);
  await timers.end();
  assert.equal((await waiting).length, 1);
});
