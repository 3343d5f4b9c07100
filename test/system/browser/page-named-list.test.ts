import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { NAMES, theBrowser } from './browser.ts';
import { Service, seedOf, TodoPage } from './todo-page.ts';

const start = (test: TestContext) =>
  Service.start(test, { seed: seedOf(['seeded']), env: { LISTS: 'anna,ben' } });

describe('the page of a list with a name', () => {
  it('shows the name, and follows and changes this list alone', async (test) => {
    const service = await start(test);
    const base = await TodoPage.open(test, service.baseUrl);
    const anna = await TodoPage.open(test, `${service.baseUrl}/lists/anna/`);
    // The path without a slash leads to the same page.
    const second = await TodoPage.open(test, `${service.baseUrl}/lists/anna`);
    for (const { page } of [anna, second]) {
      assert.match(await page.title(), /^anna \u00b7 Todo service/);
      await page
        .locator('#service')
        .filter({ hasText: /^anna \u00b7 Todo service/ })
        .waitFor();
    }
    assert.doesNotMatch(await base.page.title(), /anna/);

    await anna.add('from anna');
    await second.shows(['seeded', 'from anna']);
    await service.client.delete('/lists/anna/api/todos/1');
    for (const each of [anna, second]) await each.shows(['from anna']);
    const operation = await anna.operation('listTodos');
    await operation.getByRole('button', { name: 'Send' }).click();
    await operation.getByText('200 after').waitFor();
    await base.add('at the base');
    await base.shows(['seeded', 'at the base']);
    for (const each of [anna, second]) await each.shows(['from anna']);
    const bens = await service.client.get('/lists/ben/api/todos');
    assert.deepEqual(
      bens.json<{ title: string }[]>().map(({ title }) => title),
      ['seeded'],
    );
  });
});

describe('an EventSource below the path of a list', () => {
  it('gets the changes of this list, and no others', async (test) => {
    const service = await start(test);
    const context = await (await theBrowser()).newContext();
    test.after(() => context.close());
    await context.addInitScript(NAMES);
    const page = await context.newPage();
    await page.goto(`${service.baseUrl}/openapi.json`);
    const events = page.evaluate(
      () =>
        new Promise<string[]>((resolve) => {
          const source = new EventSource('/lists/anna/api/todos/events');
          const seen: string[] = [];
          const create = (path: string) =>
            fetch(`${path}/api/todos`, {
              method: 'POST',
              headers: { 'Content-Type': 'application/json' },
              body: JSON.stringify({ title: `of ${path}` }),
            });
          source.addEventListener('ready', async () => {
            for (const path of ['', '/lists/ben', '/lists/anna']) await create(path);
          });
          source.addEventListener('put', ({ data }) => {
            seen.push(JSON.parse(data).title);
            if (seen.at(-1) !== 'of /lists/anna') return;
            source.close();
            resolve(seen);
          });
        }),
    );
    assert.deepEqual(await events, ['of /lists/anna']);
  });
});
