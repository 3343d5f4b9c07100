import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import type { Browser, Page, Route } from 'playwright-core';
import type { Todo } from '../support/client.ts';
import { launchBrowser } from './browser.ts';
import { eventually, hasFocus, isChecked, Service, seedOf, TodoPage } from './todo-page.ts';

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

/** Answers the next request to a path in a way. @returns what waits until it has */
async function answerNext(
  page: Page,
  path: string,
  answer: (route: Route) => Promise<void>,
): Promise<() => Promise<void>> {
  let settle = (_answered: Promise<void>) => {};
  const isAnswered = new Promise<void>((resolve) => {
    settle = resolve;
  });
  await page.route(
    ({ pathname }) => pathname === path,
    (route) => settle(answer(route)),
    { times: 1 },
  );
  return () => isAnswered;
}

describe('work under way in the page', () => {
  it('is shown while the first list is on its way', async (test) => {
    const service = await Service.start(test, { seed: seedOf(['one']) });
    const todo = await TodoPage.open(test, browser, 'about:blank');
    const sendDocument = await holdRequests(todo.page, 'GET', '/openapi.json');
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
      const isAnswered = await answerNext(todo.page, '/api/todos/1', async (route) => {
        const response = await route.fetch();
        await service.client.patch('/api/todos/1', { title: 'theirs', completed: false });
        await more(service);
        await todo.shows(await service.titles());
        await route.fulfill({ response });
      });
      await todo.page.getByRole('checkbox', { name: 'Done: mine' }).click();
      await isAnswered();
      await todo.isIdle();
      await todo.item('theirs').waitFor();
      await isChecked(todo.page.getByRole('checkbox', { name: 'Done: theirs' }), false);
    });
  }
});

describe('a change that waits for another in the page', () => {
  /** A page whose first change waits for its answer, and a second one that waits for the first. */
  async function waiting(test: TestContext) {
    const service = await Service.start(test, { seed: seedOf(['one', 'two', 'three']) });
    const todo = await TodoPage.open(test, browser, service.baseUrl);
    const send = await holdRequests(todo.page, 'PATCH', '/api/todos/1');
    const isAsked = todo.page.waitForRequest((request) => request.method() === 'PATCH');
    await todo.page.getByRole('checkbox', { name: 'Done: one' }).check();
    await isAsked;
    await todo.page.getByRole('checkbox', { name: 'Done: two' }).check();
    return { service, todo, send };
  }

  it('is sent as the page goes away, like a priority that has just been chosen', async (test) => {
    const { service, todo } = await waiting(test);
    const three = todo.page.getByRole('group', { name: 'Priority of three' });
    await todo.hold(300);
    await three.getByTitle('Priority 5').click();
    await todo.page.goto('about:blank');
    await eventually(async () => {
      const [, two, three] = (await service.client.get('/api/todos')).json<Todo[]>();
      assert.deepEqual([two?.completed, three?.priority], [true, 5]);
    });
  });

  it('is dropped at a reset: its id is of another item', async (test) => {
    const { service, todo, send } = await waiting(test);
    const stream = todo.exchanges.filter({ hasText: '/api/todos/events' });
    await stream.locator('summary').click();
    await service.reset();
    await stream.getByText('event: reset').waitFor();
    send();
    await todo.page.getByRole('checkbox', { name: 'Done: three' }).check();
    await eventually(async () => {
      assert.equal((await service.client.get('/api/todos/3')).json<Todo>().completed, true);
    });
    const two = (await service.client.get('/api/todos/2')).json<Todo>();
    assert.equal(two.completed, false);
  });
});

describe('an editor on a slow network', () => {
  it('shows the latest change by others, whichever answer comes last', async (test) => {
    const service = await Service.start(test, { seed: seedOf(['shared']) });
    const todo = await TodoPage.open(test, browser, service.baseUrl);
    const editor = await todo.edit('shared');
    await editor.getByLabel('Title').fill('mine');
    const latest = editor.getByText('theirs, too', { exact: true });
    const isAnswered = await answerNext(todo.page, '/api/todos/1', async (route) => {
      const response = await route.fetch();
      await service.client.patch('/api/todos/1', { title: 'theirs, too' });
      await latest.waitFor();
      await route.fulfill({ response });
    });
    await service.client.patch('/api/todos/1', { title: 'theirs' });
    await isAnswered();
    await todo.isIdle();
    assert.equal(await latest.count(), 1);
  });
});

describe('what is typed while the page saves', () => {
  it('stays in the editor, to be saved as well', async (test) => {
    const service = await Service.start(test, { seed: seedOf(['one']) });
    const todo = await TodoPage.open(test, browser, service.baseUrl);
    const editor = await todo.edit('one');
    const save = await holdRequests(todo.page, 'PATCH', '/api/todos/1');
    const isAsked = todo.page.waitForRequest((request) => request.method() === 'PATCH');
    await editor.getByLabel('Title').fill('first');
    await editor.getByLabel('Title').press('Enter');
    await isAsked;
    const description = editor.getByLabel('Description', { exact: true });
    await editor.getByLabel('null').uncheck();
    await description.fill('more');
    save();
    await eventually(async () => assert.deepEqual(await service.titles(), ['first']));
    await editor.getByRole('button', { name: 'Save', exact: true }).waitFor();
    assert.equal(await description.inputValue(), 'more');
    await editor.getByRole('button', { name: 'Save' }).click();
    await editor.waitFor({ state: 'detached' });
    const stored = (await service.client.get('/api/todos/1')).json<Todo>();
    assert.deepEqual([stored.title, stored.description], ['first', 'more']);
  });

  it('stays in its editor while another is open, with what has failed', async (test) => {
    const service = await Service.start(test, { seed: seedOf(['one', 'two', 'three']) });
    const todo = await TodoPage.open(test, browser, service.baseUrl);
    const { page } = todo;
    const save = await holdRequests(page, 'PATCH', '/api/todos/1');
    await todo.edit('one');
    const first = page.getByRole('form', { name: 'Edit item 1' });
    await first.getByLabel('Title').fill('x'.repeat(201));
    await first.getByLabel('Title').press('Enter');
    await todo.edit('two');
    await todo.edit('three');
    assert.equal(await page.locator('form.editor').count(), 2);
    save();
    await first.getByText('must be at most 200 characters long').waitFor();
    assert.equal(await first.getByLabel('Title').inputValue(), 'x'.repeat(201));
    await first.getByRole('button', { name: 'Cancel' }).click();
    await first.waitFor({ state: 'detached' });
    assert.equal(await page.locator('form.editor').count(), 1);
  });

  it('stays in the form for new items', async (test) => {
    const service = await Service.start(test);
    const { page, newTitle, ...todo } = await TodoPage.open(test, browser, service.baseUrl);
    await page.getByRole('button', { name: 'Details' }).click();
    const send = await holdRequests(page, 'POST', '/api/todos');
    await newTitle.fill('one');
    await newTitle.press('Enter');
    await page.getByRole('button', { name: 'Adding' }).waitFor();
    const description = page.getByLabel('Description', { exact: true });
    await description.fill('typed meanwhile');
    send();
    await page.getByRole('button', { name: 'Add', exact: true }).waitFor();
    assert.equal(await description.inputValue(), 'typed meanwhile');
    await eventually(async () => assert.equal(await todo.count.textContent(), '1 item'));
  });
});

describe('what comes late to the page', () => {
  it('ticks what matched when the user asked for that', async (test) => {
    const service = await Service.start(test, { seed: seedOf(['one', 'two', 'three']) });
    const todo = await TodoPage.open(test, browser, service.baseUrl);
    const send = await holdRequests(todo.page, 'PATCH', '/api/todos/1');
    await todo.page.getByRole('checkbox', { name: 'Done: one' }).check();
    await todo.search.fill('two');
    await todo.shows(['two']);
    await todo.page.getByRole('button', { name: 'Mark all done' }).click();
    await todo.search.fill('');
    await todo.shows(['one', 'two', 'three']);
    send();
    await todo.page.getByText('Done: 1 item').waitFor();
    const open = (await service.client.get('/api/todos?completed=false')).json<Todo[]>();
    assert.deepEqual(
      open.map(({ title }) => title),
      ['three'],
    );
  });

  it('does not take the focus from where the user is by then', async (test) => {
    const titles = Array.from({ length: 60 }, (_, index) => `item ${index + 1}`);
    const service = await Service.start(test, { seed: seedOf(titles) });
    const todo = await TodoPage.open(test, browser, service.baseUrl);
    const sendList = await holdRequests(todo.page, 'GET', '/api/todos');
    await todo.page.getByRole('link', { name: 'Next' }).click();
    await todo.newTitle.fill('typed');
    sendList();
    await todo.shows(titles.slice(50));
    await hasFocus(todo.newTitle);

    const editor = await todo.edit('item 60');
    await editor.getByLabel('Title').fill('last item');
    const save = await holdRequests(todo.page, 'PATCH', '/api/todos/60');
    await editor.getByLabel('Title').press('Enter');
    await todo.newTitle.fill('typed, too');
    save();
    await todo.item('last item').waitFor();
    await hasFocus(todo.newTitle);
  });
});

it('undoing in the page leaves the focus where it is by then', async (test) => {
  const service = await Service.start(test, { seed: seedOf(['one', 'two']) });
  const todo = await TodoPage.open(test, browser, service.baseUrl);
  await todo.page.getByRole('button', { name: 'Mark all done' }).click();
  await todo.undo.waitFor();
  const send = await holdRequests(todo.page, 'PATCH', '/api/todos/1');
  await todo.page.getByRole('checkbox', { name: 'Done: one' }).click();
  await todo.undo.click();
  await hasFocus(todo.page.locator('#items'));
  await todo.newTitle.fill('typed');
  send();
  await todo.page.getByText('Undone: 2 items').waitFor({ state: 'attached' });
  await hasFocus(todo.newTitle);
});

it('the page searches for what was typed, however soon something else is chosen', async (test) => {
  const service = await Service.start(test, { seed: seedOf(['apple', 'banana']) });
  const todo = await TodoPage.open(test, browser, service.baseUrl);
  await todo.hold(150);
  await todo.search.fill('apple');
  await todo.page.getByText('Open', { exact: true }).click();
  await todo.shows(['apple']);
  assert.equal(new URL(todo.page.url()).search, '?search=apple&completed=false');
});
