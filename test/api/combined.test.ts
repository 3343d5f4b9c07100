import assert from 'node:assert/strict';
import { it } from 'node:test';
import { startTodoService } from '../../src/package/index.ts';
import { variantA } from '../../src/service/todo/variant-a.ts';
import { startAdmin } from '../support/admin.ts';
import { assertProblem } from '../support/assertions.ts';
import { EventClient } from '../support/events.ts';
import { EVENTS, itemPath, LIST } from '../support/paths.ts';
import { createRequest, getRequest } from '../support/raw-requests.ts';
import type { Todo } from '../support/requests.ts';

/* Two features at once, of which each has its own tests. */

const ANNA = '/lists/anna';

it('a list below a base path has links, redirects and a journal as the base has', async (test) => {
  const env = { BASE_PATH: '/todo', LISTS: 'anna' };
  const { admin, client } = await startAdmin(test, variantA, { env });
  const path = `/todo${ANNA}`;
  assert.equal((await client.get(`${path}?x=1`)).headers.location, `${path}/?x=1`);
  const created = await client.post(`${path}${LIST}`, { title: 'x' });
  assert.equal(created.headers.location, `${path}${itemPath(4)}`);
  const document = await client.get(`${path}/openapi.json`);
  const [{ url }] = document.json<{ servers: [{ url: string }] }>().servers;
  assert.equal(new URL(url, `http://h${path}/openapi.json`).pathname, `${path}/`);
  const journal = await admin('GET', `${path}/admin/requests?path=/todo${LIST}`);
  const { requests } = journal.json<{ requests: { target: string }[] }>();
  assert.deepEqual(
    requests.map(({ target }) => target),
    [`${path}${LIST}`],
  );
});

it('a list with a name has the limit of rows, strictness, CORS and event ids of its own', async (test) => {
  const env = { LISTS: 'anna', MAX_ROWS: '4', STRICT: 'off' };
  const { client, port, baseUrl, connect } = await startAdmin(test, variantA, { env });
  const list = `${ANNA}${LIST}`;
  const headers = { origin: 'http://localhost:1', 'access-control-request-method': 'PUT' };
  for (const path of [itemPath(1), '/unknown']) {
    const granted = await client.request('OPTIONS', ANNA + path, { headers });
    const atBase = await client.request('OPTIONS', path, { headers });
    assert.equal(granted.status, 204);
    const field = 'access-control-allow-methods';
    assert.equal(granted.headers[field], atBase.headers[field]);
  }
  const batch = [{ title: 'x' }, { title: 'y' }];
  assertProblem(await client.post(`${list}/batch`, batch), 507, 'store-full');
  for (const path of [list, LIST]) {
    assert.equal((await client.post(path, { title: 'fourth' })).json().id, 4);
    assertProblem(await client.post(path, { title: 'fifth' }), 507, 'store-full');
  }
  assert.equal((await client.get(`${list}?foo=1`)).status, 200);
  assertProblem(await client.delete(`${list}?id=1&foo=1`), 400, 'invalid-parameter');
  const raw = await connect();
  const target = `http://127.0.0.1:${port}${ANNA}${itemPath(4)}`;
  assert.match((await raw.send(getRequest(target)).next())?.text ?? '', /"fourth"/);
  const base = await EventClient.open(baseUrl);
  const { id } = await base.next();
  const own = await EventClient.open(baseUrl, id, ANNA + EVENTS);
  assert.deepEqual(
    (await own.take(2)).map(({ event }) => event),
    ['ready', 'reset'],
  );
  for (const stream of [base, own]) stream.close();
});

it('a list without event streams has no path for them', async (test) => {
  const env = { LISTS: 'anna', MAX_EVENT_STREAMS: '0' };
  const { client } = await startAdmin(test, variantA, { env });
  assertProblem(await client.get(ANNA + EVENTS), 400, 'invalid-id');
});

it('faults that hold from the start hold again after the reset of a list', async (test) => {
  const env = { LISTS: 'anna', FAULTS: '[{"status":503,"times":1}]' };
  const { admin, client } = await startAdmin(test, variantA, { env });
  const statuses = async () => [
    (await client.get(ANNA + LIST)).status,
    (await client.get(ANNA + LIST)).status,
  ];
  assert.deepEqual(await statuses(), [503, 200]);
  assert.equal((await admin('POST', `${ANNA}/admin/reset`)).status, 204);
  assert.deepEqual(await statuses(), [503, 200]);
  assert.equal((await client.get(LIST)).status, 503, 'the base has its own');
});

it('HEAD of a page has the fields of its GET, and links keep where as it was sent', async (test) => {
  const { client } = await startAdmin(test, variantA);
  const where = encodeURIComponent('{"or":[{"id":{"in":[1,2]}},{"priority":5}]}');
  const page = `${LIST}?where=${where}&limit=1&offset=1`;
  const [got, head] = [await client.get(page), await client.request('HEAD', page)];
  assert.equal(got.headers['x-total-count'], '2');
  assert.match(String(got.headers.link), new RegExp(`<\\?where=${where}&limit=1&offset=0>`));
  for (const field of ['x-total-count', 'link', 'etag', 'content-length']) {
    assert.equal(head.headers[field], got.headers[field], field);
  }
});

it('a request that waits for a 100 gets it before a fault delays it', async (test) => {
  const { connect, setFaults, requests } = await startAdmin(test, variantA);
  await setFaults({ method: 'POST', delayMs: 3_600_000 });
  const request = createRequest().replace('\r\n', '\r\nExpect: 100-continue\r\n');
  const end = request.indexOf('\r\n\r\n') + 4;
  const client = await connect();
  assert.equal((await client.send(request.slice(0, end)).next())?.status, 100);
  await client.sendApart(request.slice(end));
  assert.deepEqual(
    (await requests()).map(({ status }) => status),
    [null],
  );
  await setFaults();
  assert.equal((await client.next())?.status, 201);
});

it('a program and HTTP control the same faults, journal, lists and streams', async (test) => {
  const service = await startTodoService({ seed: [{ title: 'seed' }], env: { ADMIN_TOKEN: 'x' } });
  test.after(() => service.stop());
  const headers = { Authorization: 'Bearer x', 'Content-Type': 'application/json' };
  const admin = async (method: string, path: string, value?: object) => {
    const body = value && JSON.stringify(value);
    const answer = await fetch(`${service.url}${path}`, { method, headers, ...(body && { body }) });
    return answer.status === 204 ? undefined : JSON.parse(await answer.text());
  };
  const faults = [{ status: 418, hits: 0 }];
  await service.faults([{ status: 418 }]);
  assert.deepEqual(await admin('GET', '/admin/faults'), { faults });
  await admin('PUT', '/admin/faults', { faults: [{ status: 502 }] });
  assert.equal((await fetch(service.url + LIST)).status, 502);
  assert.deepEqual(await service.faults(), [{ status: 502, hits: 1 }]);
  assert.equal((await service.requests()).length, 1);
  await admin('DELETE', '/admin/requests');
  assert.deepEqual(await service.requests(), []);

  const list = await service.list('anna', [{ title: 'own' }]);
  const [listed] = await admin('GET', '/admin/lists');
  assert.deepEqual([listed.name, listed.items], ['anna', 1]);
  const stream = await EventClient.open(service.url, undefined, ANNA + EVENTS);
  await stream.next();
  await admin('POST', `${ANNA}/admin/reset`, []);
  assert.equal((await stream.next()).event, 'reset');
  assert.deepEqual(await (await fetch(list.url + LIST)).json(), []);
  await list.reset([{ title: 'again' }]);
  assert.equal((await stream.next()).event, 'reset');
  const items: readonly Todo[] = JSON.parse(await (await fetch(list.url + LIST)).text());
  assert.equal(items[0]?.title, 'again');
  await list.stop();
  await stream.ended();
  assert.deepEqual(await admin('GET', '/admin/lists'), []);
});
