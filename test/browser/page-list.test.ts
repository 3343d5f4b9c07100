import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import type { Todo } from '../support/client.ts';
import { launchBrowser } from './browser.ts';
import {
  eventually,
  hasFocus,
  hasValue,
  isChecked,
  Service,
  seedOf,
  TodoPage,
} from './todo-page.ts';

let browser: Browser;
before(async () => {
  browser = await launchBrowser();
});
after(() => browser.close());

describe('the list in the page', () => {
  it('describes what it shows, and creates items by Enter', async (test) => {
    const service = await Service.start(test);
    const { page, newTitle, ...todo } = await TodoPage.open(test, browser, service.baseUrl);
    await page.getByText('Todo service, variant B').waitFor();
    await page.getByText('Nothing to do yet.').waitFor();
    for (const title of ['Buy milk', 'Call Ann']) {
      await newTitle.fill(title);
      await newTitle.press('Enter');
      await page.getByRole('button', { name: `Edit ${title}` }).waitFor();
      await hasValue(newTitle, '');
      await hasFocus(newTitle);
    }
    assert.deepEqual(await service.titles(), ['Buy milk', 'Call Ann']);
    assert.equal(await todo.count.textContent(), '2 items');
  });

  it('creates with a description and a priority', async (test) => {
    const service = await Service.start(test);
    const { page, newTitle } = await TodoPage.open(test, browser, service.baseUrl);
    await page.getByRole('button', { name: 'Details' }).click();
    await newTitle.fill('Pack');
    await page.getByLabel('Description', { exact: true }).fill('two\nlines');
    await page.locator('#composer').getByTitle('Priority 5').click();
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByRole('button', { name: 'Edit Pack' }).waitFor();
    const [created] = (await service.client.get('/api/todos')).json<Todo[]>();
    assert.equal(created?.description, 'two\nlines');
    assert.equal(created?.priority, 5);
  });

  it('completes, prioritises and edits in place, and sends only changes', async (test) => {
    const service = await Service.start(test, { seed: seedOf(['one', 'two']) });
    const { page, ...todo } = await TodoPage.open(test, browser, service.baseUrl);
    const stored = async () => (await service.client.get('/api/todos/1')).json();
    await page.getByRole('checkbox', { name: 'Done: one' }).check();
    await eventually(async () => assert.equal((await stored()).completed, true));
    const group = page.getByRole('group', { name: 'Priority of one' });
    await group.getByTitle('Priority 5').click();
    await eventually(async () => assert.equal((await stored()).priority, 5));

    await page.getByRole('button', { name: 'Edit one' }).click();
    const editor = page.locator('form.editor');
    await editor.getByLabel('Title').fill('uno');
    await editor.getByLabel('Title').press('Enter');
    await page.getByRole('button', { name: 'Edit uno' }).waitFor();
    assert.equal((await stored()).title, 'uno');
    const focused = page.getByRole('button', { name: 'Edit uno' });
    await hasFocus(focused);
    const sent = todo.exchanges.filter({ hasText: 'PATCH' }).first();
    await sent.locator('summary').click();
    assert.equal(await sent.locator('pre').first().textContent(), '{\n  "title": "uno"\n}');
    assert.equal(await sent.getByText('If-Match', { exact: true }).count(), 1);

    await page.getByRole('button', { name: 'Edit two' }).click();
    await editor.getByLabel('Title').fill('never');
    await editor.getByLabel('Title').press('Escape');
    await editor.waitFor({ state: 'detached' });
    assert.deepEqual(await service.titles(), ['uno', 'two']);
  });

  it('keeps text that an input element would alter', async (test) => {
    const service = await Service.start(test);
    const text = { title: ' two\nlines\r\n', description: 'a\r\nb\u0000' };
    await service.create(text);
    const todo = await TodoPage.open(test, browser, service.baseUrl);
    await todo.page.getByRole('button', { name: /^Edit/ }).click();
    const editor = todo.page.locator('form.editor');
    await editor.getByTitle('Priority 5').click();
    await editor.getByRole('button', { name: 'Save' }).click();
    await editor.waitFor({ state: 'detached' });
    const { title, description, priority } = (await service.client.get('/api/todos/1')).json();
    assert.deepEqual({ title, description, priority }, { ...text, priority: 5 });
  });

  it('deletes, and restores exactly what was deleted', async (test) => {
    const service = await Service.start(test, { seed: seedOf(['one', 'two', 'three']) });
    const todo = await TodoPage.open(test, browser, service.baseUrl);
    const { page } = todo;
    const before = (await service.client.get('/api/todos')).text;
    await page.getByRole('button', { name: 'Delete two' }).click();
    await todo.shows(['one', 'three']);
    assert.equal(await todo.count.textContent(), '2 items');
    const next = page.getByRole('button', { name: 'Delete three' });
    await hasFocus(next);
    await todo.undo.click();
    await todo.shows(['one', 'two', 'three']);
    assert.equal((await service.client.get('/api/todos')).text, before);

    await page.getByRole('button', { name: 'Delete one' }).click();
    await page.keyboard.press('Control+z');
    await todo.shows(['one', 'two', 'three']);
    assert.equal((await service.client.get('/api/todos')).text, before);

    await page.getByRole('button', { name: 'Delete one' }).click();
    await page.getByRole('button', { name: 'Delete three' }).click();
    await eventually(async () => assert.deepEqual(await service.titles(), ['two', 'three']));
    await page.goto('about:blank');
    await eventually(async () => assert.deepEqual(await service.titles(), ['two']));
  });

  it('deletes by itself once the time to undo has passed', async (test) => {
    const service = await Service.start(test, { seed: seedOf(['one', 'two']) });
    const todo = await TodoPage.open(test, browser, service.baseUrl);
    await todo.page.getByRole('button', { name: 'Delete one' }).click();
    await todo.undo.waitFor();
    await todo.later(6_000);
    await eventually(async () => assert.deepEqual(await service.titles(), ['two']));
    await todo.undo.waitFor({ state: 'hidden' });
  });

  it('searches while typing, and shows the last response', async (test) => {
    const seed = seedOf(['apple', 'apricot', 'banana', '100%']);
    const service = await Service.start(test, { seed });
    const todo = await TodoPage.open(test, browser, service.baseUrl);
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await todo.page.route(/search=ap&/, async (route) => {
      await released;
      await route.continue().catch(() => {});
    });
    const isAsked = todo.page.waitForRequest(/search=ap&/);
    await todo.search.pressSequentially('ap');
    await isAsked;
    await todo.search.pressSequentially('r');
    await todo.shows(['apricot']);
    release();
    await todo.search.fill('%');
    await todo.shows(['100%']);
    assert.equal(await todo.count.textContent(), '1 item');
    await todo.search.fill('nothing like it');
    await todo.page.getByText('No items match.').waitFor();
    await todo.page.getByRole('button', { name: 'Show everything' }).click();
    await todo.shows(['apple', 'apricot', 'banana', '100%']);
    assert.equal(new URL(todo.page.url()).search, '');
  });

  it('keeps filters and sorting in its address', async (test) => {
    const service = await Service.start(test);
    for (const [title, priority] of [
      ['b', 2],
      ['a', 5],
      ['c', 5],
      ['done', 5],
    ] as const) {
      await service.create({ title, priority });
    }
    await service.client.patch('/api/todos/4', { completed: true });
    const todo = await TodoPage.open(test, browser, service.baseUrl);
    await todo.page.getByText('Open', { exact: true }).click();
    await todo.shows(['b', 'a', 'c']);
    await todo.filter('Priority', '\u2265', (value) => value.getByTitle('Priority 4').click());
    await todo.shows(['a', 'c']);
    await todo.page.getByLabel('Sort').selectOption('-id');
    await todo.shows(['c', 'a']);
    const address = todo.page.url();
    assert.equal(new URL(address).search, '?completed=false&priority.gte=4&sort=-id');

    const other = await TodoPage.open(test, browser, address);
    await other.shows(['c', 'a']);
    assert.equal(await other.page.getByLabel('Sort').inputValue(), '-id');
    await isChecked(other.page.getByRole('radio', { name: 'Open' }), true);

    await todo.page.goBack();
    await todo.shows(['a', 'c']);
    await todo.page.goBack();
    await todo.shows(['b', 'a', 'c']);

    // An item that no longer matches disappears, and its neighbour gets the focus.
    await todo.page.getByRole('checkbox', { name: 'Done: a' }).press('Space');
    await todo.shows(['b', 'c']);
    const next = todo.page.getByRole('checkbox', { name: 'Done: c' });
    await hasFocus(next);
  });

  it('leads to all pages, however many items its address asks for', async (test) => {
    const service = await Service.start(test, { seed: seedOf(['one', 'two', 'three']) });
    const todo = await TodoPage.open(test, browser, `${service.baseUrl}/?limit=2`);
    await todo.shows(['one', 'two']);
    await todo.page.getByRole('link', { name: 'Next' }).click();
    await todo.shows(['three']);
  });

  it('lays out what is to be seen of a long page, and leads to the rest', async (test) => {
    const titles = Array.from({ length: 200 }, (_, index) => `item ${index + 1}`);
    const service = await Service.start(test, { seed: seedOf(titles) });
    const todo = await TodoPage.open(test, browser, `${service.baseUrl}/?limit=200`);
    await todo.shows(titles);
    const rows = todo.items.locator('.row');
    const isLaidOut = (id: number) =>
      rows.nth(id - 1).evaluate((row) => row.checkVisibility({ contentVisibilityAuto: true }));
    await eventually(async () => assert.equal(await isLaidOut(50), true));
    assert.equal(await isLaidOut(150), false);
    assert.equal(await todo.page.evaluate("find('item 150')"), true);
    await eventually(async () => assert.equal(await isLaidOut(150), true));
    await todo.page.locator('#tick-all').focus();
    await todo.page.keyboard.press('Shift+Tab');
    await hasFocus(rows.last().locator('.remove'));
  });

  it('accepts any filter of the API in its address, and shows its errors', async (test) => {
    const service = await Service.start(test, { seed: seedOf(['a', 'b', 'c']) });
    const url = `${service.baseUrl}/?title.in=a&title.in=c`;
    const todo = await TodoPage.open(test, browser, url);
    await todo.shows(['a', 'c']);
    await todo.page.getByRole('button', { name: 'Remove the filter Title in a' }).click();
    await todo.shows(['c']);
    await todo.page.goto(`${service.baseUrl}/?priority.gte=many`);
    await todo.page.getByRole('alert').filter({ hasText: 'priority.gte' }).waitFor();
  });

  it('shows 100,000 items page by page', async (test) => {
    const titles = Array.from({ length: 100_000 }, (_, index) => `item ${index + 1}`);
    const service = await Service.start(test, { seed: seedOf(titles) });
    const todo = await TodoPage.open(test, browser, service.baseUrl);
    const countIs = (text: string) =>
      eventually(async () => assert.equal(await todo.count.textContent(), text));
    await countIs('1\u201350 of 100,000 items');
    assert.equal(await todo.items.count(), 50);
    const pages = todo.page.getByRole('navigation', { name: 'Pages' });
    await pages.getByText('Next').click();
    await countIs('51\u2013100 of 100,000 items');
    await eventually(async () => {
      assert.equal(await todo.page.evaluate(() => document.activeElement?.id), 'items');
    });
    assert.equal((await todo.titles())[0], 'item 51');
    await pages.getByText('Last').click();
    await countIs('99,951\u2013100,000 of 100,000 items');
    assert.equal(new URL(todo.page.url()).search, '?offset=99950');
    await todo.search.fill('item 77777');
    await todo.shows(['item 77777']);
    await todo.page.goBack();
    await todo.page.getByRole('button', { name: 'Edit item 100000' }).waitFor();
  });

  it('shows user input as text', async (test) => {
    const markup = '<img src=x onerror=alert(1)>';
    const service = await Service.start(test);
    const todo = await TodoPage.open(test, browser, service.baseUrl);
    todo.page.on('dialog', () => assert.fail('a script in an item ran'));
    await service.create({ title: markup, description: markup });
    await todo.item(markup).first().waitFor();
    const found = todo.page.waitForResponse(/search=/);
    await todo.search.fill(markup);
    await found;
    await todo.page.getByRole('button', { name: `Delete ${markup}` }).click();
    await todo.undo.click();
    for (const entry of await todo.exchanges.all()) await entry.locator('summary').click();
    await todo.edit(markup);
    await service.client.put('/api/todos/1', { title: `${markup}!` });
    await todo.page.getByText('This item was changed').waitFor();
    await todo.page.goto(`${service.baseUrl}/?title.in=${encodeURIComponent(markup)}`);
    await todo.page.getByRole('button', { name: `Title in ${markup}` }).waitFor();
    assert.equal(await todo.page.locator('img').count(), 0);
  });
});
