import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Locator } from 'playwright-core';
import type { Todo } from '../../support/requests.ts';
import { eventually, hasFocus, holdRequests, isChecked, openPage, TodoPage } from './todo-page.ts';

describe('items in the page', () => {
  it('are ticked, prioritised, edited and deleted in place, with any id, by requests with changes alone', async (test) => {
    // More digits than a number in the browser can hold.
    const id = 2n ** 53n + 1n;
    const seed = [{ id, title: 'one' }, { title: 'two' }];
    const { service, todo, page } = await openPage(test, [], { seed });
    await page.getByText(`#${id}`).waitFor();
    const stored = async () => (await service.client.get(`/api/todos/${id}`)).json<Todo>();
    await page.getByRole('checkbox', { name: 'Done: one' }).check();
    await eventually(async () => assert.equal((await stored()).completed, true));
    await page.getByLabel('Priority of one').selectOption('5');
    await eventually(async () => assert.equal((await stored()).priority, 5));

    const editor = await todo.edit('one');
    await editor.getByLabel('Title').fill('uno');
    await editor.getByLabel('Title').press('Enter');
    const edit = page.getByRole('button', { name: 'Edit uno' });
    await edit.waitFor();
    assert.equal((await stored()).title, 'uno');
    await hasFocus(edit);
    const sent = todo.exchanges.filter({ hasText: 'PATCH' }).first();
    await todo.openExchange(sent);
    assert.equal(await sent.locator('pre').first().textContent(), '{\n  "title": "uno"\n}');
    assert.equal(await sent.getByText('If-Match', { exact: true }).count(), 1);

    await todo.edit('two');
    await editor.getByLabel('Title').fill('never');
    await editor.getByLabel('Title').press('Escape');
    await editor.waitFor({ state: 'detached' });
    assert.deepEqual(await service.titles(), ['uno', 'two']);
    await page.getByRole('button', { name: 'Delete uno' }).click();
    await todo.shows(['two']);
  });

  it('keep text that an input element would alter', async (test) => {
    const text = { title: ' two\nlines\r\n', description: 'a\r\nb\u0000' };
    const { service, page } = await openPage(test, [], { seed: [text] });
    await page.getByRole('button', { name: /^Edit/ }).click();
    const editor = page.getByRole('dialog');
    await editor.getByLabel('Priority').selectOption('5');
    await editor.getByRole('button', { name: 'Save' }).click();
    await editor.waitFor({ state: 'detached' });
    const { title, description, priority } = (await service.client.get('/api/todos/1')).json();
    assert.deepEqual({ title, description, priority }, { ...text, priority: 5 });
  });
});

describe('parts of the list in the page', () => {
  it('are found while typing, and the last response counts', async (test) => {
    const all = ['apple', 'apricot', 'banana', '100%'];
    const { todo, page } = await openPage(test, all);
    const release = await holdRequests(page, 'GET', '/api/todos?search=ap&limit=50');
    const isAsked = page.waitForRequest(/search=ap&/);
    await todo.search.pressSequentially('ap');
    await isAsked;
    await todo.search.pressSequentially('r');
    await todo.shows(['apricot']);
    release();
    await todo.search.fill('%');
    await todo.shows(['100%']);
    assert.equal(await todo.count.textContent(), '1 item');
    await todo.search.fill('nothing like it');
    await page.getByText('No items match.').waitFor();
    await page.getByRole('link', { name: 'Show everything' }).click();
    await todo.shows(all);
    assert.equal(new URL(page.url()).search, '');
    await todo.search.fill('apple');
    await page.getByText('Open', { exact: true }).click();
    await todo.shows(['apple']);
    assert.equal(new URL(page.url()).search, '?search=apple&completed=false');
  });

  it('are kept in the address, with filters and order', async (test) => {
    const seed = ['b', 'a', 'c', 'done'].map((title, index) => {
      return { title, priority: index === 0 ? 2 : 5, completed: title === 'done' };
    });
    const { todo, page } = await openPage(test, [], { seed });
    await page.getByText('Open', { exact: true }).click();
    await todo.shows(['b', 'a', 'c']);
    await todo.filter('priority.gte', '4');
    await todo.shows(['a', 'c']);
    await page.getByRole('button', { name: 'Ascending' }).click();
    await todo.shows(['c', 'a']);
    const address = page.url();
    assert.equal(new URL(address).search, '?completed=false&priority.gte=4&sort=-id');

    const other = await TodoPage.open(test, address);
    await other.shows(['c', 'a']);
    await other.page.getByRole('button', { name: 'Descending' }).waitFor();
    await isChecked(other.page.getByRole('radio', { name: 'Open' }), true);

    await page.goBack();
    await todo.shows(['a', 'c']);
    await page.goBack();
    await todo.shows(['b', 'a', 'c']);

    // An item that no longer matches disappears, and its neighbour gets the focus.
    await page.getByRole('checkbox', { name: 'Done: a' }).press('Space');
    await todo.shows(['b', 'c']);
    await hasFocus(page.getByRole('checkbox', { name: 'Done: c' }));
  });

  it('are selected by any parameter of the API in the address', async (test) => {
    const { service, todo, page } = await openPage(test, ['a', 'b', 'c'], {
      at: '/?title.in=a&title.in=c',
    });
    await todo.shows(['a', 'c']);
    assert.deepEqual(await page.locator('#filters button').allTextContents(), [
      'Remove the filter title.in=a \u00d7',
      'Remove the filter title.in=c \u00d7',
    ]);
    await page.getByRole('button', { name: 'Remove the filter title.in=a' }).click();
    await todo.shows(['c']);
    await page.goto(`${service.baseUrl}/?priority.gte=many`);
    await page.getByRole('alert').filter({ hasText: 'priority.gte' }).waitFor();
    for (const query of ['search=x', 'limit=0']) {
      await page.goto(`${service.baseUrl}/?${query}`);
      await page.getByText('No items match.').waitFor();
      assert.equal(await page.getByRole('button', { name: /sample/ }).isVisible(), false, query);
    }
  });

  it('are pages, of 100,000 items too', async (test) => {
    const titles = Array.from({ length: 100_000 }, (_, index) => `item ${index + 1}`);
    const { service, todo, page } = await openPage(test, titles);
    const countIs = (text: string) =>
      eventually(async () => assert.equal(await todo.count.textContent(), text));
    await countIs('1\u201350 of 100,000 items');
    assert.equal(await todo.items.count(), 50);
    const pages = page.getByRole('navigation', { name: 'Pages' });
    const send = await holdRequests(page, 'GET', '/api/todos');
    for (let clicks = 0; clicks < 2; clicks++) await pages.getByText('Next').click();
    send();
    await countIs('101\u2013150 of 100,000 items');
    await todo.isIdle();
    await hasFocus(page.locator('#items'));
    assert.equal((await todo.titles())[0], 'item 101');
    await pages.getByText('Last').click();
    await countIs('99,951\u2013100,000 of 100,000 items');
    assert.equal(new URL(page.url()).search, '?offset=99950');
    for (const first of ['101\u2013150', '51\u2013100']) {
      await page.goBack();
      await countIs(`${first} of 100,000 items`);
    }
    // The service leaves out `Link` for a query of this length.
    await todo.openAt(`${service.baseUrl}/?title.ne=${'x'.repeat(1_000)}`);
    await pages.getByText('Next').click();
    await countIs('51\u2013100 of 100,000 items');
  });
});

describe('texts in the page', () => {
  it('stay text, whatever a user typed', async (test) => {
    const markup = '<img src=x onerror=alert(1)>';
    const { service, todo, page } = await openPage(test);
    page.on('dialog', () => assert.fail('a script in an item ran'));
    await service.create({ title: markup, description: markup });
    await todo.item(markup).first().waitFor();
    const found = page.waitForResponse(/search=/);
    await todo.search.fill(markup);
    await found;
    await page.getByRole('button', { name: `Delete ${markup}` }).click();
    await todo.undo.click();
    await page.getByText('Restored as').waitFor();
    for (const entry of await todo.exchanges.all()) await todo.openExchange(entry);
    const editor = await todo.edit(markup);
    await service.client.put('/api/todos/2', { title: `${markup}!` });
    await editor.getByLabel('Title').fill(`${markup}?`);
    await editor.getByLabel('Title').press('Enter');
    await page.getByText('This item was changed').waitFor();
    await page.goto(`${service.baseUrl}/?title.in=${encodeURIComponent(markup)}`);
    await page.getByRole('button', { name: `title.in=${markup}` }).waitFor();
    assert.equal(await page.locator('img').count(), 0);
  });

  it('have a direction of their own', async (test) => {
    const hebrew = '\u05dc\u05e7\u05e0\u05d5\u05ea \u05d7\u05dc\u05d1 (2)';
    const { todo, page } = await openPage(test, [hebrew, 'Buy milk (2)']);
    const directionOf = (target: Locator) =>
      target.evaluate((element) => getComputedStyle(element).direction);
    assert.equal(await directionOf(page.getByText(hebrew, { exact: true })), 'rtl');
    assert.equal(await directionOf(page.getByText('Buy milk (2)', { exact: true })), 'ltr');
    await todo.newTitle.fill(hebrew);
    assert.equal(await directionOf(todo.newTitle), 'rtl');
    await page.getByRole('button', { name: `Delete ${hebrew}` }).click();
    assert.equal(await directionOf(page.locator('#outcome bdi')), 'rtl');
  });
});
