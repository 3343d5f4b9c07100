import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { launchBrowser } from './browser.ts';
import { eventually, Service, seedOf, TodoPage } from './todo-page.ts';

let browser: Browser;
before(async () => {
  browser = await launchBrowser();
});
after(() => browser.close());

const UNDO_MS = 6_000;

/** Items of which every other one is done. */
function halfDone(count: number) {
  return Array.from({ length: count }, (_, index) => ({
    title: `item ${index + 1}`,
    completed: index % 2 === 1,
  }));
}

describe('Clear done in the page', () => {
  it('can be undone, and nothing was deleted', async (test) => {
    const service = await Service.start(test, { seed: halfDone(4) });
    const todo = await TodoPage.open(test, browser, service.baseUrl);
    const { text } = await service.client.get('/api/todos');
    const clear = todo.page.getByRole('button', { name: 'Clear done' });
    await clear.click();
    await todo.shows(['item 1', 'item 3']);
    await todo.page.getByText('Deleted: everything done').waitFor();
    await clear.waitFor({ state: 'hidden' });
    assert.equal(await todo.count.textContent(), '2 items');
    assert.equal((await service.client.get('/api/todos')).text, text);
    await todo.undo.click();
    await todo.shows(['item 1', 'item 2', 'item 3', 'item 4']);
    await clear.waitFor();
    assert.equal((await service.client.get('/api/todos')).text, text);
  });

  it('deletes by one request, on all pages', async (test) => {
    const service = await Service.start(test, { seed: halfDone(240) });
    const todo = await TodoPage.open(test, browser, service.baseUrl);
    await todo.page.getByRole('button', { name: 'Clear done' }).click();
    await eventually(async () => {
      assert.equal(await todo.count.textContent(), '1\u201350 of 120 items');
    });
    await todo.later(UNDO_MS);
    await todo.undo.waitFor({ state: 'hidden' });
    await eventually(async () => assert.equal((await service.titles()).length, 120));
    const requests = todo.exchanges.filter({ hasText: 'DELETE' });
    assert.deepEqual(await requests.locator('.path').allTextContents(), [
      '/api/todos?completed=true',
    ]);
    await todo.page.getByText('Done', { exact: true }).click();
    await todo.page.getByText('No items match.').waitFor();
  });

  it('deletes only what matches, before anything else is ticked', async (test) => {
    const service = await Service.start(test, { seed: halfDone(4) });
    const todo = await TodoPage.open(test, browser, service.baseUrl);
    await todo.search.fill('item 2');
    await todo.shows(['item 2']);
    await todo.page.getByRole('button', { name: 'Clear done' }).click();
    await todo.shows([]);
    await todo.page.getByRole('button', { name: 'Show everything' }).click();
    await todo.page.getByRole('checkbox', { name: 'Done: item 1' }).check();
    await eventually(async () => {
      assert.deepEqual(await service.titles(), ['item 1', 'item 3', 'item 4']);
    });
    await todo.shows(['item 1', 'item 3', 'item 4']);
  });

  it('is not there where nothing is done', async (test) => {
    const service = await Service.start(test, { seed: seedOf(['one', 'two']) });
    const todo = await TodoPage.open(test, browser, service.baseUrl);
    const clear = todo.page.getByRole('button', { name: 'Clear done' });
    await todo.shows(['one', 'two']);
    assert.equal(await clear.isVisible(), false);
    await todo.page.getByRole('checkbox', { name: 'Done: one' }).check();
    await clear.click();
    await todo.shows(['two']);
    await todo.page.goto('about:blank');
    await eventually(async () => assert.deepEqual(await service.titles(), ['two']));
  });

  it('does not say that somebody else deleted an item that is being edited', async (test) => {
    const service = await Service.start(test, { seed: halfDone(2) });
    const todo = await TodoPage.open(test, browser, service.baseUrl);
    const editor = await todo.edit('item 2');
    await editor.getByLabel('Title').fill('not lost');
    await todo.page.getByRole('button', { name: 'Clear done' }).click();
    await todo.later(UNDO_MS);
    await editor.getByText('This item was deleted while you were editing it.').waitFor();
    assert.equal(await editor.getByLabel('Title').inputValue(), 'not lost');
  });

  it('shows everything again if it has failed', async (test) => {
    const service = await Service.start(test, { seed: halfDone(4) });
    const todo = await TodoPage.open(test, browser, service.baseUrl);
    await todo.page.route(/completed=true/, (route) => route.abort());
    await todo.page.getByRole('button', { name: 'Clear done' }).click();
    await todo.shows(['item 1', 'item 3']);
    await todo.later(UNDO_MS);
    await todo.page.getByRole('alert').filter({ hasText: 'may not have been made' }).waitFor();
    await todo.shows(['item 1', 'item 2', 'item 3', 'item 4']);
  });
});
