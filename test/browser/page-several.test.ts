import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import type { Todo } from '../support/client.ts';
import { launchBrowser } from './browser.ts';
import { eventually, hasFocus, hasValue, Service, seedOf, TodoPage } from './todo-page.ts';

let browser: Browser;
before(async () => {
  browser = await launchBrowser();
});
after(() => browser.close());

const todosOf = async (service: Service) => (await service.client.get('/api/todos')).json<Todo[]>();

/** The methods and paths of the requests shown, the latest first, without their query strings. */
async function changesOf({ exchanges }: TodoPage): Promise<readonly string[]> {
  const lines = await exchanges.locator('summary').evaluateAll((summaries) =>
    summaries.map((summary) => {
      const [method, path] = summary.querySelectorAll('b, .path');
      return `${method?.textContent} ${path?.getAttribute('title')?.replace(/\?.*/, '')}`;
    }),
  );
  return lines.filter((line) => !line.startsWith('GET'));
}

describe('several items at once in the page', () => {
  it('are a pasted list, which one request adds and one removes', async (test) => {
    const service = await Service.start(test, { seed: seedOf(['before']) });
    const todo = await TodoPage.open(test, browser, service.baseUrl);
    const { page, newTitle } = todo;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Details' }).click();
    await page.locator('#composer').getByTitle('Priority 5').click();
    await page.evaluate(() => navigator.clipboard.writeText('Bread\r\n\r\n  Milk \r\nTea\r\n'));
    await newTitle.press('Control+v');
    await page.getByRole('button', { name: 'Add 3 items' }).waitFor();
    await newTitle.press('Enter');
    await todo.shows(['before', 'Bread', '  Milk ', 'Tea']);
    await page.getByText('Added: 3 items').waitFor();
    await page.getByRole('button', { name: 'Add', exact: true }).waitFor();
    await hasFocus(newTitle);
    const added = (await todosOf(service)).slice(1);
    assert.deepEqual(
      added.map(({ title, priority }) => [title, priority]),
      [
        ['Bread', 5],
        ['  Milk ', 5],
        ['Tea', 5],
      ],
    );
    await todo.undo.click();
    await todo.shows(['before']);
    assert.deepEqual(await service.titles(), ['before']);
    assert.deepEqual(await changesOf(todo), ['DELETE /api/todos', 'POST /api/todos/batch']);
  });

  it('are lines typed with Shift+Enter; Enter adds, and one line is one item', async (test) => {
    const service = await Service.start(test);
    const todo = await TodoPage.open(test, browser, service.baseUrl);
    const { newTitle } = todo;
    await newTitle.pressSequentially('one');
    await newTitle.press('Shift+Enter');
    await newTitle.press('Enter');
    await todo.shows(['one']);
    await hasValue(newTitle, '');
    await newTitle.pressSequentially('two');
    await newTitle.press('Shift+Enter');
    await newTitle.pressSequentially('three');
    await newTitle.press('Enter');
    await todo.shows(['one', 'two', 'three']);
    await hasValue(newTitle, '');
    assert.deepEqual(await changesOf(todo), ['POST /api/todos/batch', 'POST /api/todos']);
  });

  it('say which line breaks a rule, and none is added', async (test) => {
    const service = await Service.start(test);
    const todo = await TodoPage.open(test, browser, service.baseUrl);
    const { newTitle, page } = todo;
    await newTitle.fill(`fits\n\n${'x'.repeat(201)}\nfits, too`);
    await newTitle.press('Enter');
    await page.getByText('item 2: must be at most 200 characters long').waitFor();
    assert.equal(await newTitle.inputValue(), `fits\n${'x'.repeat(201)}\nfits, too`);
    assert.deepEqual(await service.titles(), []);
    await newTitle.fill('fits\nfits, too');
    await newTitle.press('Enter');
    await todo.shows(['fits', 'fits, too']);
  });

  it('are added as far as there is room, and the other lines are kept', async (test) => {
    const service = await Service.start(test, { table: { maxRows: 150 } });
    const todo = await TodoPage.open(test, browser, service.baseUrl);
    const titles = Array.from({ length: 230 }, (_, index) => `item ${index + 1}`);
    await todo.newTitle.fill(titles.join('\n'));
    await todo.newTitle.press('Enter');
    await todo.page.getByRole('alert').filter({ hasText: 'delete some items first' }).waitFor();
    assert.equal(await todo.newTitle.inputValue(), titles.slice(100).join('\n'));
    await todo.page.getByRole('button', { name: 'Add 130 items' }).waitFor();
    await todo.page.getByText('Added: 100 items').waitFor();
    assert.deepEqual(await service.titles(), titles.slice(0, 100));
    await todo.undo.click();
    await eventually(async () => assert.deepEqual(await service.titles(), []));
  });

  it('are all that are open, ticked by one request and unticked by another', async (test) => {
    const seed = ['one', 'two', 'three'].map((title) => ({ title, completed: title === 'two' }));
    const service = await Service.start(test, { seed });
    const todo = await TodoPage.open(test, browser, service.baseUrl);
    const { text } = await service.client.get('/api/todos');
    const tick = todo.page.getByRole('button', { name: 'Mark all done' });
    await tick.click();
    await todo.page.getByText('Done: 2 items').waitFor();
    assert((await todosOf(service)).every(({ completed }) => completed));
    await tick.waitFor({ state: 'hidden' });
    await todo.page.getByRole('checkbox', { name: 'Done: three', checked: true }).waitFor();
    await todo.undo.click();
    await todo.page.getByRole('checkbox', { name: 'Done: three', checked: false }).waitFor();
    await todo.page.getByRole('checkbox', { name: 'Done: two', checked: true }).waitFor();
    assert.equal((await service.client.get('/api/todos')).text, text);
    assert.deepEqual(await changesOf(todo), ['PATCH /api/todos', 'PATCH /api/todos']);
  });

  it('are those that match, on all pages, however many', async (test) => {
    const seed = Array.from({ length: 5_000 }, (_, index) => ({
      title: `${index % 2 === 0 ? 'even' : 'odd'} ${index}`,
      completed: index % 4 === 0,
    }));
    const service = await Service.start(test, { seed });
    const { text } = await service.client.get('/api/todos');
    const todo = await TodoPage.open(test, browser, `${service.baseUrl}/?title.startsWith=odd`);
    await todo.page.getByText('of 2,500 items').waitFor();
    await todo.page.getByRole('button', { name: 'Mark all done' }).click();
    await todo.page.getByText('Done: 2,500 items').waitFor();
    const isRight = ({ title, completed, id }: Todo) =>
      completed === (title.startsWith('odd') || id % 4 === 1);
    assert((await todosOf(service)).every(isRight));
    await todo.undo.click();
    await eventually(async () => {
      assert.equal((await service.client.get('/api/todos')).text, text);
    });
    assert.deepEqual(await changesOf(todo), Array(4).fill('PATCH /api/todos'));
  });

  it('are not those that somebody adds meanwhile, which could not be undone', async (test) => {
    const service = await Service.start(test, { seed: seedOf(['one', 'two']) });
    const todo = await TodoPage.open(test, browser, service.baseUrl);
    await todo.shows(['one', 'two']);
    await todo.page.route(
      ({ search }) => search === '?completed=false',
      async (route) => {
        const response = await route.fetch();
        await service.create({ title: 'theirs' });
        await route.fulfill({ response });
      },
    );
    await todo.page.getByRole('button', { name: 'Mark all done' }).click();
    await todo.page.getByText('Done: 2 items').waitFor();
    assert.deepEqual(
      (await todosOf(service)).map(({ completed }) => completed),
      [true, true, false],
    );
  });

  it('are only those that match a search for a character that is hardly seen', async (test) => {
    const seed = seedOf(['one', '\ufefftwo']);
    const service = await Service.start(test, { seed });
    const todo = await TodoPage.open(test, browser, `${service.baseUrl}/?search=%EF%BB%BF`);
    await todo.shows(['\ufefftwo']);
    await todo.page.getByRole('button', { name: 'Mark all done' }).click();
    await todo.undo.waitFor();
    const done = (await service.client.get('/api/todos?completed=true')).json<Todo[]>();
    assert.deepEqual(
      done.map(({ id }) => id),
      [2],
    );
  });

  it('can be undone once more if that has failed', async (test) => {
    const service = await Service.start(test, { seed: seedOf(['one', 'two']) });
    const todo = await TodoPage.open(test, browser, service.baseUrl);
    await todo.page.getByRole('button', { name: 'Mark all done' }).click();
    await todo.undo.waitFor();
    await todo.page.route(/id\.in=/, (route) => route.abort(), { times: 1 });
    await todo.undo.click();
    await todo.page.getByRole('alert').filter({ hasText: 'may not have been made' }).waitFor();
    await todo.undo.click();
    await eventually(async () => {
      assert((await todosOf(service)).every(({ completed }) => !completed));
    });
  });
});

it('several items are changed by keyboard alone, which never loses the focus', async (test) => {
  const service = await Service.start(test, { seed: seedOf(['one', 'two']) });
  const todo = await TodoPage.open(test, browser, service.baseUrl);
  const { page } = todo;
  const list = page.locator('#items');
  await page.getByRole('button', { name: 'Mark all done' }).press('Enter');
  await page.getByText('Done: 2 items').waitFor();
  await hasFocus(list);
  await page.keyboard.press('Control+z');
  await page.getByRole('checkbox', { name: 'Done: one', checked: false }).waitFor();
  await hasFocus(list);
  await page.getByRole('checkbox', { name: 'Done: one' }).press('Space');
  await page.getByRole('button', { name: 'Clear done' }).press('Enter');
  await todo.shows(['two']);
  await hasFocus(list);
});

describe('titles in the page', () => {
  it('are sorted ignoring case', async (test) => {
    const service = await Service.start(test, { seed: seedOf(['b', 'C', 'a', 'B']) });
    const todo = await TodoPage.open(test, browser, service.baseUrl);
    const sort = todo.page.getByLabel('Sort');
    await sort.selectOption('Title, A to Z');
    await todo.shows(['a', 'B', 'b', 'C']);
    await sort.selectOption('Title, Z to A');
    await todo.shows(['C', 'b', 'B', 'a']);
    assert.equal(new URL(todo.page.url()).search, '?sort=-title.ignoreCase');
  });
});
