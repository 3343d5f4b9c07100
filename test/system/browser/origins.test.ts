import assert from 'node:assert/strict';
import { EventEmitter, on } from 'node:events';
import { createServer } from 'node:http';
import { describe, it, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { NAMES, theBrowser } from './browser.ts';
import { listen } from './listen.ts';
import { Service } from './todo-page.ts';

declare global {
  /** Reports to the test what a page has received. */
  function report(event: string): void;
}

const EMPTY_PAGE = '<!doctype html><html lang="en"><meta charset="utf-8"><title>A page</title>';

/** Starts a service that allows some origins, and opens a page of another origin. */
async function start(test: TestContext, list = 'localhost') {
  const service = await Service.start(test, { env: { CORS_ORIGINS: list } });
  const server = createServer((_, response) => {
    response.setHeader('Content-Type', 'text/html').end(EMPTY_PAGE);
  });
  const context = await (await theBrowser()).newContext();
  test.after(() => context.close());
  await context.addInitScript(NAMES);
  const page = await context.newPage();
  await page.goto(await listen(test, server));
  return { service, page, api: `${service.baseUrl}/api/todos` };
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
    const headers = { 'X-Request-Id': 'from-a-page' };
    const list = await fetchFrom(page, `${api}?limit=1`, { headers });
    assert.equal(list?.text, `[${got.text}]`);
    assert.equal(list.headers['x-total-count'], '1');
    assert.equal(list.headers['x-request-id'], 'from-a-page');
    for (const name of ['link', 'etag']) assert.notEqual(list.headers[name], undefined, name);
    assert.equal((await fetchFrom(page, item, { method: 'DELETE' }))?.status, 204);
    assert.equal((await fetchFrom(page, api))?.text, '[]');
  });

  it('reads, follows and writes nothing if it is not allowed', async (test) => {
    const { service, page, api } = await start(test, 'https://example.com');
    await service.create({ title: 'not for it' });
    assert.equal(await fetchFrom(page, api), null);
    assert.equal(await fetchFrom(page, `${api}/1`, { method: 'DELETE' }), null);
    assert.equal(await fetchFrom(page, api, sent('POST', { title: 'x' })), null);
    assert.deepEqual(await service.titles(), ['not for it']);
    assert.equal(await (await follow(page, api))(), 'error closed');
  });
});

/**
 * Makes a page follow events.
 * @returns a function that waits for the next event or error that the page reports
 */
async function follow(page: Page, api: string): Promise<() => Promise<string>> {
  const seen = new EventEmitter();
  const events = on(seen, 'event');
  await page.exposeFunction('report', (event: string) => seen.emit('event', event));
  await page.evaluate((url) => {
    const source = new EventSource(url);
    for (const type of ['ready', 'put', 'delete', 'reset']) {
      source.addEventListener(type, ({ data }) => report(`${type} ${data}`));
    }
    const states = ['connecting', 'open', 'closed'];
    source.onerror = () => report(`error ${states[source.readyState]}`);
  }, `${api}/events`);
  return async () => (await events.next()).value[0];
}

it('an EventSource of another origin receives each change, and reset after a restart', async (test) => {
  const { service, page, api } = await start(test);
  const { client } = service;
  const next = await follow(page, api);
  assert.equal(await next(), 'ready {}');
  const created = await client.post('/api/todos', { title: 'Buy milk' });
  assert.equal(await next(), `put ${created.text}`);
  await client.delete('/api/todos/1');
  assert.equal(await next(), 'delete {"id":1}');

  await service.stop();
  assert.equal(await next(), 'error connecting');
  await service.restart();
  let event = await next();
  while (event === 'error connecting') event = await next();
  assert.equal(event, 'ready {}');
  assert.equal(await next(), 'reset {}', 'the browser has sent the last id it received');
  const again = await client.post('/api/todos', { title: 'Buy bread' });
  assert.equal(await next(), `put ${again.text}`);
});
