import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { variantB } from '../../../src/service/todo/variant-b.ts';
import { Client } from '../../support/client.ts';
import { startApp } from '../../support/service.ts';
import { launchBrowser } from './browser.ts';
import { otherOrigin, pageAt } from './origin-pages.ts';

let browser: Browser;
before(async () => {
  browser = await launchBrowser();
});
after(() => browser.close());

/** A page of another origin, and the address of a service that allows some origins. */
async function start(
  test: TestContext,
  list = 'localhost',
): Promise<{ page: Page; api: string; client: Client }> {
  const { baseUrl } = await startApp(test, variantB, { env: { CORS_ORIGINS: list } });
  const client = new Client(baseUrl);
  test.after(() => client.close());
  const page = await pageAt(test, browser, await otherOrigin(test));
  return { page, api: `${baseUrl}/api/todos`, client };
}

/** The parts of a response that a page can read. */
interface Seen {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Makes a page send a request; null if the browser does not let it see the response. */
function fetchFrom(page: Page, url: string, init: RequestInit = {}): Promise<Seen | null> {
  return page.evaluate(
    async ([url, init]) => {
      try {
        const response = await fetch(url, init);
        const headers = Object.fromEntries(response.headers);
        return { status: response.status, headers, text: await response.text() };
      } catch {
        return null;
      }
    },
    [url, init] as const,
  );
}

function sent(method: string, value: unknown, headers: Record<string, string> = {}): RequestInit {
  const all = { 'Content-Type': 'application/json', ...headers };
  return { method, headers: all, body: JSON.stringify(value) };
}

describe('a page of another origin', () => {
  it('creates, reads, lists, updates and deletes an item', async (test) => {
    const { page, api } = await start(test);
    const created = await fetchFrom(page, api, sent('POST', { title: 'Buy milk' }));
    assert.equal(created?.status, 201);
    const item = new URL(created.headers.location ?? '', api).href;
    assert.equal(item, `${api}/1`);
    const put = await fetchFrom(page, item, sent('PUT', { completed: true }));
    assert.equal(put?.status, 200);
    const mergePatch = { 'Content-Type': 'application/merge-patch+json' };
    const patch = sent('PATCH', { title: 'Buy oat milk' }, mergePatch);
    const patched = await fetchFrom(page, item, patch);
    assert.equal(patched?.status, 200);
    const got = await fetchFrom(page, item);
    assert.equal(got?.text, patched.text);
    const { title, completed } = JSON.parse(got.text);
    assert.deepEqual([title, completed], ['Buy oat milk', true]);
    assert.equal((await fetchFrom(page, api))?.text, `[${got.text}]`);
    assert.equal((await fetchFrom(page, item, { method: 'DELETE' }))?.status, 204);
    assert.equal((await fetchFrom(page, api))?.text, '[]');
  });

  it('reads problems', async (test) => {
    const { page, api } = await start(test);
    const problemOf = async (url: string, init?: RequestInit) => {
      const { status, headers, text } = (await fetchFrom(page, url, init)) ?? assert.fail(url);
      assert.equal(headers['content-type'], 'application/problem+json');
      const { code, errors = [] } = JSON.parse(text);
      const pointers = errors.map(({ pointer }: { pointer: string }) => pointer);
      return { status, code, pointers, headers };
    };

    const refused = await problemOf(api, sent('POST', { title: ' ', priority: 9 }));
    assert.deepEqual(
      [refused.status, refused.code, refused.pointers],
      [400, 'validation-failed', ['#/title', '#/priority']],
    );
    for (const [url, init, status, code] of [
      [`${api}/7`, {}, 404, 'not-found'],
      [`${api}x`, {}, 404, 'unknown-path'],
      [`${api}/x`, {}, 400, 'invalid-id'],
      [api, { headers: { Accept: 'image/png' } }, 406, 'not-acceptable'],
      [api, { method: 'POST', body: 'a text' }, 415, 'unsupported-media-type'],
      [api, sent('POST', 'x'.repeat(70_000)), 413, 'content-too-large'],
    ] as const) {
      const problem = await problemOf(url, init);
      assert.deepEqual([problem.status, problem.code], [status, code]);
    }
  });

  it('reads totals, links, entity tags and request ids', async (test) => {
    const { page, api } = await start(test);
    for (const title of ['one', 'two', 'three']) {
      await fetchFrom(page, api, sent('POST', { title }));
    }
    const headers = { 'X-Request-Id': 'from-a-page' };
    const list = await fetchFrom(page, `${api}?limit=1&title.contains=o`, { headers });
    assert.equal(list?.headers['x-total-count'], '2');
    assert.match(list.headers.link ?? '', /title\.contains=o&limit=1&offset=1>; rel="next"/);
    assert.match(list.headers.etag ?? '', /^".+"$/);
    assert.equal(list.headers['x-request-id'], 'from-a-page');
  });

  for (const list of ['https://example.com', 'none']) {
    it(`reads and writes nothing if CORS_ORIGINS is ${list}`, async (test) => {
      const { page, api, client } = await start(test, list);
      await client.post('/api/todos', { title: 'not for it' });
      assert.equal(await fetchFrom(page, api), null);
      assert.equal(await fetchFrom(page, `${api}/1`, { method: 'DELETE' }), null);
      assert.equal(await fetchFrom(page, api, sent('POST', { title: 'x' })), null);
      assert.equal((await client.get('/api/todos')).json<unknown[]>().length, 1);
    });
  }

  it('may be any page if CORS_ORIGINS is *', async (test) => {
    const { page, api } = await start(test, '*');
    assert.equal((await fetchFrom(page, api, sent('POST', { title: 'x' })))?.status, 201);
  });
});
