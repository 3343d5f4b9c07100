import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import type { Todo } from '../support/client.ts';
import { launchBrowser } from './browser.ts';
import { eventually, isChecked, Service, seedOf, TodoPage } from './todo-page.ts';

let browser: Browser;
before(async () => {
  browser = await launchBrowser();
});
after(() => browser.close());

/** Makes requests with a method to a path wait; the function that is returned lets them go. */
async function holdRequests(page: Page, method: string, path: string): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const isHeld = ({ pathname }: URL) => pathname === path;
  await page.route(isHeld, async (route) => {
    if (route.request().method() === method) await released;
    await route.continue();
  });
  return release;
}

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

describe('work under way in the page', () => {
  it('is shown while the first list is on its way', async (test) => {
    const service = await Service.start(test, { seed: seedOf(['one']) });
    const todo = await TodoPage.open(test, browser, 'about:blank');
    const sendDocument = await holdRequests(todo.page, 'GET', '/openapi-3.2.json');
    const sendList = await holdRequests(todo.page, 'GET', '/api/todos');
    const isAsked = todo.page.waitForRequest(/\/api\/todos\?/);
    await todo.page.goto(service.baseUrl);
    await todo.page.getByText('Loading\u2026').waitFor();
    sendDocument();
    await isAsked;
    assert.equal(await todo.page.getByText('Loading\u2026').isVisible(), true);
    sendList();
    await todo.shows(['one']);
    await todo.page.getByText('Loading\u2026').waitFor({ state: 'hidden' });
  });

  it('is shown while an item is being added, once', async (test) => {
    const service = await Service.start(test);
    const { page, newTitle, ...todo } = await TodoPage.open(test, browser, service.baseUrl);
    const send = await holdRequests(page, 'POST', '/api/todos');
    await newTitle.fill('slow');
    await newTitle.press('Enter');
    await page.getByRole('button', { name: 'Adding\u2026' }).waitFor();
    await newTitle.press('Enter');
    send();
    await page.getByRole('button', { name: 'Add', exact: true }).waitFor();
    await eventually(async () => assert.equal(await todo.count.textContent(), '1 item'));
    assert.deepEqual(await service.titles(), ['slow']);
  });

  it('leaves a tick as the user has set it, whatever else changes', async (test) => {
    const service = await Service.start(test, { seed: seedOf(['mine']) });
    const todo = await TodoPage.open(test, browser, service.baseUrl);
    const send = await holdRequests(todo.page, 'PATCH', '/api/todos/1');
    const box = todo.page.getByRole('checkbox', { name: 'Done: mine' });
    await box.check();
    await service.create({ title: 'theirs' });
    await todo.shows(['mine', 'theirs']);
    assert.equal(await box.isChecked(), true);
    send();
    await eventually(async () => {
      assert.equal((await service.client.get('/api/todos/1')).json<Todo>().completed, true);
    });
    await service.client.patch('/api/todos/1', { completed: false });
    await isChecked(box, false);
  });
});

describe('the result of a change in the page', () => {
  const toldOf = {
    'that an event told of before': (_service: Service) => undefined,
    'that the list has shown before': (service: Service) => service.create({ title: 'another' }),
  };
  for (const [name, more] of Object.entries(toldOf)) {
    it(`does not hide a later change ${name}`, async (test) => {
      const service = await Service.start(test, { seed: seedOf(['mine']) });
      const todo = await TodoPage.open(test, browser, service.baseUrl);
      await todo.page.route(
        ({ pathname }) => pathname === '/api/todos/1',
        async (route) => {
          const response = await route.fetch();
          await service.client.patch('/api/todos/1', { title: 'theirs', completed: false });
          await more(service);
          await todo.shows(await service.titles());
          await route.fulfill({ response });
        },
        { times: 1 },
      );
      await todo.page.getByRole('checkbox', { name: 'Done: mine' }).click();
      await todo.item('theirs').waitFor();
      await isChecked(todo.page.getByRole('checkbox', { name: 'Done: theirs' }), false);
    });
  }
});

describe('the address of the page', () => {
  it('may have parameters that the service does not know, which are no filters', async (test) => {
    const service = await Service.start(test, { seed: seedOf(['one', 'two']) });
    const { page, ...todo } = await TodoPage.open(
      test,
      browser,
      `${service.baseUrl}/?utm_source=mail&title.in=two&q=x`,
    );
    await page.getByRole('button', { name: 'Remove the filter' }).waitFor();
    assert.deepEqual(await page.locator('#filters button').allTextContents(), [
      'Remove the filter Title in two \u00d7',
    ]);
    assert.equal(await todo.count.textContent(), '1 item');
  });
});
