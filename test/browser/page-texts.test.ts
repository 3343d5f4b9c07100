import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Locator } from 'playwright-core';
import { launchBrowser } from './browser.ts';
import { eventually, Service, seedOf, TodoPage } from './todo-page.ts';

let browser: Browser;
before(async () => {
  browser = await launchBrowser();
});
after(() => browser.close());

const directionOf = (target: Locator) =>
  target.evaluate((element) => getComputedStyle(element).direction);

describe('texts in the page', () => {
  it('stay in their row, however many marks are combined', async (test) => {
    const marks = '\u0300\u0323\u0316\u030b'.repeat(49);
    const seed = seedOf(['above', `Z${marks}`, 'below']);
    const service = await Service.start(test, { seed });
    const todo = await TodoPage.open(test, browser, service.baseUrl);
    /** What is to be seen of the other rows, once it stays the same. */
    const look = async () => {
      let seen = Buffer.of();
      await eventually(async () => {
        const before = seen;
        const above = await todo.item('above').screenshot();
        seen = Buffer.concat([above, await todo.item('below').screenshot()]);
        assert(seen.equals(before), 'the rows have come to rest');
      });
      return seen;
    };
    await todo.shows(['above', `Z${marks}`, 'below']);
    // It fades while it is fetched again, whenever that is.
    const list = todo.page.locator('#items');
    await list.evaluate(({ style }) => style.setProperty('opacity', '1'));
    const withMarks = await look();
    await service.client.patch('/api/todos/2', { title: 'Z' });
    await todo.shows(['above', 'Z', 'below']);
    assert(withMarks.equals(await look()), 'marks do not reach over other rows');
  });

  it('without a visible character can be seen and clicked', async (test) => {
    const service = await Service.start(test, { seed: seedOf(['\u200b', '\u3164\u00ad']) });
    const todo = await TodoPage.open(test, browser, service.baseUrl);
    await todo.shows(['(blank)', '(blank)']);
    await todo.page.getByRole('checkbox', { name: 'Done: item 2' }).waitFor();
    await todo.page.getByText('(blank)').first().click();
    const title = todo.page.getByRole('form', { name: 'Edit item 1' }).getByLabel('Title');
    assert.equal(await title.inputValue(), '\u200b');
    await todo.page.getByRole('button', { name: 'Delete item 2' }).click();
    await todo.page.getByText('Deleted: item 2').waitFor();
  });

  it('have a direction of their own', async (test) => {
    const hebrew = '\u05dc\u05e7\u05e0\u05d5\u05ea \u05d7\u05dc\u05d1 (2)';
    const service = await Service.start(test, { seed: seedOf([hebrew, 'Buy milk (2)']) });
    const { page, ...todo } = await TodoPage.open(test, browser, service.baseUrl);
    const directionOfText = (text: string) => directionOf(page.getByText(text, { exact: true }));
    await page.getByText(hebrew, { exact: true }).waitFor();
    assert.equal(await directionOfText(hebrew), 'rtl');
    assert.equal(await directionOfText('Buy milk (2)'), 'ltr');
    await page.getByRole('button', { name: `Delete ${hebrew}` }).click();
    assert.equal(await directionOf(page.locator('#undo bdi')), 'rtl');
    assert.equal(await directionOf(page.locator('#undo p')), 'ltr');
    for (const input of [todo.newTitle, todo.search]) {
      await input.fill(hebrew);
      assert.equal(await directionOf(input), 'rtl');
      await input.fill('Buy milk');
      assert.equal(await directionOf(input), 'ltr');
    }
  });
});

describe('the address of the page', () => {
  it('may have parameters that the service does not know, which are no filters', async (test) => {
    const service = await Service.start(test, { seed: seedOf(['one', 'two']) });
    const url = `${service.baseUrl}/?utm_source=mail&title.in=two&q=x`;
    const todo = await TodoPage.open(test, browser, url);
    const { page } = todo;
    await page.getByRole('button', { name: 'Remove the filter' }).waitFor();
    assert.deepEqual(await page.locator('#filters button').allTextContents(), [
      'Remove the filter Title in two \u00d7',
    ]);
    await todo.shows(['two']);
  });
});
