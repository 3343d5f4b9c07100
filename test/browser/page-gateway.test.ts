import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { launchBrowser } from './browser.ts';
import { gatewayTo } from './gateway.ts';
import { eventually, Service, seedOf, TodoPage } from './todo-page.ts';

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
