import assert from 'node:assert/strict';
import { EventEmitter, on } from 'node:events';
import { after, before, describe, it, type TestContext } from 'node:test';
import type { Browser } from 'playwright-core';
import { variantB } from '../../../src/service/todo/variant-b.ts';
import { Client } from '../../support/client.ts';
import { freePorts } from '../../support/ports.ts';
import { appOf } from '../../support/service.ts';
import { launchBrowser } from './browser.ts';
import { otherOrigin, pageAt } from './origin-pages.ts';

declare global {
  /** Reports to the test what a page has received. */
  function report(event: string): void;
}

let browser: Browser;
before(async () => {
  browser = await launchBrowser();
});
after(() => browser.close());

/**
 * Starts a service on a port, possibly that of a stopped one; it stops with the test at the latest.
 */
async function serve(test: TestContext, port: number, list = 'localhost') {
  const app = appOf(variantB, { env: { CORS_ORIGINS: list } });
  const address = await app.listen(port, '127.0.0.1');
  const client = new Client(`http://127.0.0.1:${address.port}`);
  let isStopped = false;
  const stop = async () => {
    if (isStopped) return;
    isStopped = true;
    await client.close();
    await app.stop(0);
  };
  test.after(stop);
  return { port: address.port, client, stop };
}

/**
 * Makes a page of another origin follow the events of a service.
 * @returns a function that waits for the next event or error that the page reports
 */
async function follow(test: TestContext, port: number): Promise<() => Promise<string>> {
  const page = await pageAt(test, browser, await otherOrigin(test));
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
  }, `http://127.0.0.1:${port}/api/todos/events`);
  return async () => (await events.next()).value[0];
}

describe('an EventSource of another origin', () => {
  it('receives each change, and reset after a restart', async (test) => {
    const [free = 0] = await freePorts(1);
    const first = await serve(test, free);
    const next = await follow(test, first.port);
    assert.equal(await next(), 'ready {}');
    const created = await first.client.post('/api/todos', { title: 'Buy milk' });
    assert.equal(await next(), `put ${created.text}`);
    const changed = await first.client.put('/api/todos/1', { completed: true });
    assert.equal(await next(), `put ${changed.text}`);
    await first.client.delete('/api/todos/1');
    assert.equal(await next(), 'delete {"id":1}');

    await first.stop();
    assert.equal(await next(), 'error connecting');
    const second = await serve(test, first.port);
    let event = await next();
    while (event === 'error connecting') event = await next();
    assert.equal(event, 'ready {}');
    assert.equal(await next(), 'reset {}', 'the browser has sent the last id it received');
    const again = await second.client.post('/api/todos', { title: 'Buy bread' });
    assert.equal(await next(), `put ${again.text}`);
  });

  it('receives nothing if its origin is not allowed', async (test) => {
    const { port } = await serve(test, 0, 'https://example.com');
    const next = await follow(test, port);
    assert.equal(await next(), 'error closed');
  });
});
