import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { launchBrowser } from './browser.ts';
import { gatewayTo } from './gateway.ts';
import { eventually, hasFocus, Service, seedOf, TodoPage } from './todo-page.ts';

let browser: Browser;
before(async () => {
  browser = await launchBrowser();
});
after(() => browser.close());

describe('the page behind a gateway that removes a prefix', () => {
  for (const address of ['/team/todo/', '/team/todo']) {
    it(`finds everything below the prefix, opened at ${address}`, async (test) => {
      const titles = Array.from({ length: 60 }, (_, index) => `item ${index + 1}`);
      const service = await Service.start(test, { seed: seedOf(titles) });
      const gateway = await gatewayTo(test, service.baseUrl, { prefix: '/team/todo' });
      const todo = await TodoPage.open(test, browser, 'about:blank');
      const paths = new Set<string>();
      todo.page.on('request', (request) => paths.add(new URL(request.url()).pathname));
      await todo.openAt(gateway + address);
      await todo.shows(titles.slice(0, 50));

      const next = todo.page.getByRole('link', { name: 'Next' });
      assert.equal(await next.getAttribute('href'), `${address}?offset=50`);
      await next.click();
      await todo.shows(titles.slice(50));
      assert.equal(new URL(todo.page.url()).pathname, address);
      await todo.page.reload();
      await todo.shows(titles.slice(50));
      await todo.add('added');
      const editor = await todo.edit('added');
      await editor.getByLabel('Title').fill('edited');
      await editor.getByLabel('Title').press('Enter');
      await todo.item('edited').waitFor();
      await todo.page.getByRole('button', { name: 'Delete edited' }).click();
      await todo.later(6_000);
      await eventually(async () => assert.deepEqual(await service.titles(), titles));

      const { page } = todo;
      await page.locator('#operation-getTodo > summary').click();
      await page.locator('#operation-getTodo').getByRole('button', { name: 'Send' }).click();
      await page.locator('#operation-getTodo').getByText('200 after').waitFor();
      const [document] = await Promise.all([
        page.waitForResponse(/openapi-3\.2\.json$/),
        page.getByRole('link', { name: 'openapi-3.2.json' }).click(),
      ]);
      assert.equal(document.status(), 200);
      const outside = [...paths].filter((path) => !path.startsWith('/team/todo'));
      assert.deepEqual(outside, []);
    });
  }
});

describe('the page behind a gateway that does something to entity tags', () => {
  for (const [what, tag, conflicts] of [
    ['makes them weak', (given: string) => `W/${given}`, 1],
    ['drops them', () => undefined, 0],
    ['adds to them', (given: string) => given.replace(/"$/, '-gzip"'), 3],
  ] as const) {
    it(`saves an item that is as it was, and no other: it ${what}`, async (test) => {
      const options = { env: { MAX_EVENT_STREAMS: '0' }, seed: seedOf(['one', 'two']) };
      const service = await Service.start(test, options);
      const gateway = await gatewayTo(test, service.baseUrl, { tag });
      const todo = await TodoPage.open(test, browser, gateway, {}, 'No live updates');
      const conditions: (string | undefined)[] = [];
      todo.page.on('request', (request) => {
        const { 'if-match': match, 'if-none-match': none } = request.headers();
        conditions.push(match, none);
      });
      const editor = await todo.edit('one');
      await editor.getByLabel('Title').fill('first');
      await editor.getByLabel('Title').press('Enter');
      await todo.shows(['first', 'two']);
      assert.deepEqual(await service.titles(), ['first', 'two']);

      await todo.edit('two');
      await service.client.patch('/api/todos/2', { title: 'theirs' });
      await editor.getByLabel('Title').fill('mine');
      await editor.getByLabel('Title').press('Enter');
      await editor.getByText('Someone else changed').waitFor();
      await editor.getByLabel('Title').press('Enter');
      await hasFocus(editor.getByRole('alert').filter({ hasText: 'Someone else' }));
      await todo.page.keyboard.press('Enter');
      assert.deepEqual(await service.titles(), ['first', 'theirs']);
      await editor.getByRole('button', { name: 'Keep my changes' }).click();
      await editor.getByRole('button', { name: 'Save' }).click();
      await todo.shows(['first', 'mine']);
      assert.deepEqual(await service.titles(), ['first', 'mine']);
      assert(!conditions.includes(''), 'no condition is empty');
      const failed = todo.exchanges.getByText('412', { exact: true });
      assert.equal(await failed.count(), conflicts);
    });
  }

  it('says that an item is saved if the answer to that was lost', async (test) => {
    const service = await Service.start(test, { seed: seedOf(['one']) });
    const todo = await TodoPage.open(test, browser, service.baseUrl);
    const editor = await todo.edit('one');
    await editor.getByLabel('Title').fill('first');
    await todo.page.route(
      ({ pathname }) => pathname === '/api/todos/1',
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await editor.getByLabel('Title').press('Enter');
    await editor.waitFor({ state: 'detached' });
    await todo.shows(['first']);
    assert.deepEqual(await service.titles(), ['first']);
  });
});
