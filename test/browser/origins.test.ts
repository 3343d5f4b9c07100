import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { parseOrigins } from '../../src/http/middleware/cors.ts';
import type { Variant } from '../../src/todo/fields.ts';
import { startApp, VARIANTS } from '../support/service.ts';
import { launchBrowser, otherOrigin, pageAt } from './browser.ts';

let browser: Browser;
before(async () => {
  browser = await launchBrowser();
});
after(() => browser.close());

/** A page of another origin, and the address of a service that allows some origins. */
async function start(
  test: TestContext,
  variant: Variant,
  list = 'localhost',
): Promise<{ page: Page; api: string }> {
  const origins = parseOrigins(list) ?? assert.fail(`${list} is a list of origins`);
  const { baseUrl } = await startApp(test, variant, { origins });
  const page = await pageAt(test, browser, await otherOrigin(test));
  return { page, api: `${baseUrl}/api/todos` };
}

for (const variant of VARIANTS) {
  describe(`a page of another origin, variant ${variant.name.toUpperCase()}`, () => {
    it('creates, gets, lists, changes and deletes an item', async (test) => {
      const { page, api } = await start(test, variant);
      const seen = await page.evaluate(async (api) => {
        const send = async (method: string, url: string, type: string, value: unknown) => {
          const headers = { 'Content-Type': type };
          const response = await fetch(url, { method, headers, body: JSON.stringify(value) });
          return { status: response.status, body: await response.json() };
        };
        const created = await send('POST', api, 'application/json', { title: 'Buy milk' });
        const item = `${api}/${created.body.id}`;
        const put = await send('PUT', item, 'application/json', { completed: true });
        const patch = { title: 'Buy oat milk' };
        const patched = await send('PATCH', item, 'application/merge-patch+json', patch);
        const got = await (await fetch(item)).json();
        const list = await (await fetch(api)).json();
        const deleted = await fetch(item, { method: 'DELETE' });
        const missing = await fetch(item);
        return {
          statuses: [created.status, put.status, patched.status, deleted.status, missing.status],
          got,
          list,
        };
      }, api);
      assert.deepEqual(seen.statuses, [201, 200, 200, 204, 404]);
      assert.equal(seen.got.title, 'Buy oat milk');
      assert.equal(seen.got.completed, true);
      assert.deepEqual(seen.list, [seen.got]);
    });
  });
}
