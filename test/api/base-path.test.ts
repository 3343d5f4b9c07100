import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { startTodoService } from '../../src/package/index.ts';
import type { JournalEntry } from '../../src/service/journal/journal-entry.ts';
import { variantA } from '../../src/service/todo/variant-a.ts';
import { AUTHORIZED, startAdmin } from '../support/admin.ts';
import { itemPath, LIST } from '../support/paths.ts';
import type { ProblemBody } from '../support/requests.ts';
import { configOf } from '../support/service.ts';

const BASE = '/team/todo';

/** Starts a service below a base. */
const start = (test: TestContext) => startAdmin(test, variantA, { env: { BASE_PATH: BASE } });

describe('a service below a base path', () => {
  it('has all its paths below it, and none elsewhere', async (test) => {
    const { client } = await start(test);
    const paths = [LIST, '/', '/openapi.json', '/livez', '/readyz', '/metrics', '/admin/requests'];
    for (const path of paths) {
      assert.equal((await client.get(`${BASE}${path}`, AUTHORIZED)).status, 200, path);
      for (const other of [path, `${BASE}x${path}`, `/x${BASE}${path}`, `/TEAM/todo${path}`]) {
        const answer = await client.get(other, AUTHORIZED);
        assert.equal(answer.status, 404, other);
        const { detail } = answer.json<ProblemBody>();
        assert.equal(detail, `No resource has the path ${other}; all paths are below ${BASE}`);
      }
    }
    assert.equal((await client.get(`${BASE}/admin/requests`)).status, 401);
    assert.equal((await client.request('OPTIONS', `${BASE}${LIST}`)).status, 204);
  });

  it('has the base in Location and instance, and query strings alone in Link', async (test) => {
    const { client } = await start(test);
    for (const title of ['a', 'b']) {
      const created = await client.post(`${BASE}${LIST}`, { title });
      assert.equal(created.headers.location, `${BASE}${itemPath(created.json().id)}`);
    }
    const missing = await client.get(`${BASE}${itemPath(99)}`);
    assert.equal(missing.json<ProblemBody>().instance, `${BASE}${itemPath(99)}`);
    const paged = await client.get(`${BASE}${LIST}?limit=1`);
    assert.match(String(paged.headers.link), /<\?limit=1&offset=1>; rel="next"/);
  });

  it('names intended paths below it', async (test) => {
    const { client } = await start(test);
    const { detail } = (await client.get(`${BASE}${LIST}/`)).json<ProblemBody>();
    assert.equal(detail, `No resource has the path ${BASE}${LIST}/; did you mean ${BASE}${LIST}?`);
    const detailOf = async (path: string) => (await client.get(path)).json<ProblemBody>().detail;
    assert.match(await detailOf(`${BASE}/todos`), new RegExp(`; did you mean ${BASE}${LIST}\\?$`));
    assert.match(
      await detailOf(`${BASE}/docs`),
      new RegExp(`; did you mean ${BASE}/openapi.json or`),
    );
    assert.match(await detailOf(LIST), new RegExp(`; all paths are below ${BASE}$`));
  });

  it('redirects from the base to it with a slash, and keeps the query', async (test) => {
    const { client } = await start(test);
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await client.request(method, `${BASE}?a=%20&b=//`);
      assert.equal(status, 308);
      assert.equal(headers.location, `${BASE}/?a=%20&b=//`);
      assert.equal(headers['cache-control'], 'no-cache');
      assert.equal(headers['content-length'], '0');
    }
    assert.equal((await client.get(BASE)).headers.location, `${BASE}/`);
    const refused = await client.post(BASE, {});
    assert.deepEqual([refused.status, refused.headers.allow], [405, 'GET, HEAD, OPTIONS']);
  });

  it('has links in its API document and its index that work below it', async (test) => {
    const { admin, client } = await start(test);
    const path = `${BASE}/openapi.json`;
    const { servers } = (await client.get(path)).json<{ servers: [{ url: string }] }>();
    assert.equal(new URL(servers[0].url, `http://h${path}`).href, `http://h${BASE}/`);
    const { links } = (await client.get(`${BASE}/`)).json<{ links: { href: string }[] }>();
    for (const { href } of links) {
      const { pathname } = new URL(href, `http://h${BASE}/`);
      assert.equal((await admin('HEAD', pathname)).status, 200, pathname);
    }
  });

  it('matches faults and the journal by path with the base, and by route without it', async (test) => {
    const { admin, client } = await start(test);
    const set = (path: string) =>
      admin('PUT', `${BASE}/admin/faults`, { faults: [{ path, status: 503 }] });
    assert.equal((await set(`${BASE}/livez`)).status, 400, 'it is never hit');
    assert.equal((await set(BASE)).status, 200);
    assert.equal((await set(`${BASE}${LIST}`)).status, 200);
    assert.equal((await client.get(`${BASE}${LIST}?a`)).status, 503);
    assert.equal((await client.get(`${BASE}/livez`)).status, 200);
    const journal = await admin('GET', `${BASE}/admin/requests`);
    assert.deepEqual(
      journal
        .json<{ requests: JournalEntry[] }>()
        .requests.map(({ target, route }) => [target, route]),
      [[`${BASE}${LIST}?a`, LIST]],
    );
  });

  it('has a URL in process that ends with the base', async () => {
    // An empty variable is as good as none: this one must not open the service to others.
    const service = await startTodoService({ env: { BASE_PATH: `${BASE}/`, HOST: '', TZ: '' } });
    try {
      assert(service.url.endsWith(`:${new URL(service.url).port}${BASE}`));
      assert.equal(new URL(service.url).hostname, '127.0.0.1');
      assert.equal((await fetch(`${service.url}${LIST}`)).status, 200);
      await assert.rejects(service.faults([{ path: `${BASE}/admin`, status: 500 }]), /admin/);
      assert.equal((await service.requests({ path: `${BASE}${LIST}` })).length, 1);
    } finally {
      await service.stop();
    }
  });
});

it('a base path is one or more segments of unreserved characters', () => {
  const baseOf = (text: string) => configOf({ BASE_PATH: text }).changes.BASE_PATH;
  for (const text of ['/a', '/a/', '/a.b/~c_-', '/.hidden', '/...'])
    assert.equal(baseOf(text), text);
  assert.equal(baseOf('/'), undefined, 'a slash alone is none');
  for (const text of [
    ...['a', '//', '/a//b', '/.', '/a/..', '/../a', '/a b', '/%61', '/ä', '/a?', '/a;'],
  ]) {
    assert.throws(() => baseOf(text), /^ConfigError: BASE_PATH must be a path such as/, text);
  }
});
