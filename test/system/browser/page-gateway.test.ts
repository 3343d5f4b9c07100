import assert from 'node:assert/strict';
import { createServer, request } from 'node:http';
import { describe, it, type TestContext } from 'node:test';
import { listen } from './listen.ts';
import { openPage, Service, seedOf, TodoPage } from './todo-page.ts';

const BASE = '/team/todo';

/** Starts a gateway that removes `BASE` from paths, for the duration of the test. @returns its URL */
function gatewayTo(test: TestContext, baseUrl: string): Promise<string> {
  const server = createServer((incoming, response) => {
    const { method, headers, url = '' } = incoming;
    if (!url.startsWith(BASE)) {
      response.writeHead(404).end('The gateway knows no such path.');
      return;
    }
    const target = new URL(url.slice(BASE.length) || '/', baseUrl);
    const outgoing = request(target, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? assert.fail('no status'), answer.headers);
      response.flushHeaders();
      answer.pipe(response);
    });
    outgoing.on('error', () => response.destroy());
    response.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  return listen(test, server);
}

describe('the page below a path', () => {
  for (const [how, address] of [
    ['a gateway removes it', `${BASE}/`],
    ['a gateway removes it, and nothing follows it', BASE],
    ['BASE_PATH names it', `${BASE}/`],
    ['BASE_PATH names it, and nothing follows it', BASE],
  ] as const) {
    it(`finds everything below it: ${how}`, async (test) => {
      const isStripped = how.startsWith('a gateway');
      const titles = Array.from({ length: 60 }, (_, index) => `item ${index + 1}`);
      const env = { ADMIN_TOKEN: 'a-token', ...(isStripped ? {} : { BASE_PATH: BASE }) };
      const service = await Service.start(test, { seed: seedOf(titles), env });
      const url = isStripped ? await gatewayTo(test, service.baseUrl) : service.baseUrl;
      const todo = await TodoPage.open(test, 'about:blank');
      const { page } = todo;
      const paths: string[] = [];
      page.on('request', (request) => paths.push(new URL(request.url()).pathname));
      await todo.openAt(`${url}${address}#token=a-token`);
      await todo.shows(titles.slice(0, 50));

      const { pathname } = new URL(page.url());
      assert.equal(pathname, isStripped ? address : `${BASE}/`);
      await page.getByRole('link', { name: 'Next' }).click();
      await todo.shows(titles.slice(50));
      assert.equal(page.url(), `${url}${pathname}?offset=50`);
      await page.reload();
      await todo.shows(titles.slice(50));
      await page.getByRole('button', { name: 'Ascending' }).click();
      await page.waitForURL(`${url}${pathname}?sort=-id`);
      await todo.add('added');
      const editor = await todo.edit('added');
      await editor.getByLabel('Title').fill('edited');
      await editor.getByLabel('Title').press('Enter');
      await todo.item('edited').waitFor();
      await page.getByRole('button', { name: 'Delete edited' }).click();
      await todo.undo.click();
      await page.getByRole('link', { name: 'item 62' }).click();
      await todo.shows(['edited']);
      assert.equal(page.url(), `${url}${pathname}?id=62`);

      await page.getByRole('tab', { name: 'Conditions' }).click();
      await page.getByRole('switch', { name: 'Writes fail' }).click();
      await page.getByText('1 condition is on.').first().waitFor();
      const base = isStripped ? '' : BASE;
      const refused = await service.client.delete(`${base}/api/todos/1`);
      assert.equal(refused.status, 500);

      const operation = await todo.operation('getTodo');
      await operation.getByRole('button', { name: 'Send' }).click();
      await operation.getByText('200 after').waitFor();
      const [document] = await Promise.all([
        page.waitForResponse(/openapi\.json$/),
        page.getByRole('link', { name: 'openapi.json' }).click(),
      ]);
      assert.equal(document.status(), 200);
      assert.deepEqual(
        paths.filter((path) => !path.startsWith(BASE)),
        [],
      );
    });
  }
});

it('the next save in the page finds that the first was made, although its response was lost', async (test) => {
  const { service, todo, page } = await openPage(test, ['one']);
  const editor = await todo.edit('one');
  await editor.getByLabel('Title').fill('first');
  await page.route(
    ({ pathname }) => pathname === '/api/todos/1',
    async (route) => {
      await route.fetch();
      await route.abort();
    },
    { times: 1 },
  );
  await editor.getByLabel('Title').press('Enter');
  await editor.getByText('Your text is still here.').waitFor();
  await editor.getByRole('button', { name: 'Save' }).click();
  await editor.waitFor({ state: 'detached' });
  await todo.shows(['first']);
  assert.deepEqual(await service.titles(), ['first']);
});
