import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Todo } from '../../support/client.ts';
import {
  eventually,
  hasFocus,
  holdRequests,
  isChecked,
  openPage,
  Service,
  seedOf,
  TodoPage,
} from './todo-page.ts';

describe('work under way in the page', () => {
  it('is shown while the first list is on its way', async (test) => {
    const service = await Service.start(test, { seed: seedOf(['one']) });
    const todo = await TodoPage.open(test, 'about:blank');
    const { page } = todo;
    const sendDocument = await holdRequests(page, 'GET', '/openapi.json');
    const sendList = await holdRequests(page, 'GET', '/api/todos');
    const isAsked = page.waitForRequest(/\/api\/todos\?/);
    await page.goto(service.baseUrl);
    await page.getByText('Loading\u2026').waitFor();
    sendDocument();
    await isAsked;
    assert.equal(await page.getByText('Loading\u2026').isVisible(), true);
    sendList();
    await todo.shows(['one']);
    await page.getByText('Loading\u2026').waitFor({ state: 'hidden' });
  });

  it('is shown while an item is being added, by one request', async (test) => {
    const { service, todo, page } = await openPage(test);
    const send = await holdRequests(page, 'POST', '/api/todos');
    await page.getByRole('button', { name: 'Details' }).click();
    await todo.newTitle.fill('slow');
    await todo.newTitle.press('Enter');
    await page.getByRole('button', { name: 'Adding\u2026' }).waitFor();
    await todo.newTitle.press('Enter');
    const description = page.getByLabel('Description', { exact: true });
    await description.fill('typed meanwhile');
    send();
    await page.getByRole('button', { name: 'Add', exact: true }).waitFor();
    await todo.shows(['slow']);
    assert.deepEqual(await service.titles(), ['slow']);
    assert.equal(await description.inputValue(), 'typed meanwhile');
  });

  it('is a deletion, by one request, that leaves its row in place', async (test) => {
    const { todo, page } = await openPage(test, ['one', 'two']);
    const send = await holdRequests(page, 'DELETE', '/api/todos/1');
    const isAsked = page.waitForRequest((request) => request.method() === 'DELETE');
    const remove = page.getByRole('button', { name: 'Delete one' });
    await remove.click();
    await isAsked;
    await remove.click();
    assert.equal(await todo.items.first().getAttribute('aria-busy'), 'true');
    send();
    await todo.shows(['two']);
    assert.deepEqual(await todo.writes(), ['DELETE /api/todos/1']);
  });
});

describe('a tick or a step in the page', () => {
  it('stays as the user has set it, and the last one wins', async (test) => {
    const { service, todo, page } = await openPage(test, ['mine']);
    const send = await holdRequests(page, 'PATCH', '/api/todos/1');
    const isAsked = page.waitForRequest((request) => request.method() === 'PATCH');
    const box = page.getByRole('checkbox', { name: 'Done: mine' });
    await box.check();
    await isAsked;
    const steps = page.getByRole('group', { name: 'Priority of mine' });
    for (const step of [4, 1, 5]) await steps.getByTitle(`Priority ${step}`).click();
    await service.create({ title: 'theirs' });
    await todo.shows(['mine', 'theirs']);
    assert.equal(await box.isChecked(), true);
    send();
    await eventually(async () => {
      const [{ completed, priority } = assert.fail()] = await service.items();
      assert.deepEqual([completed, priority], [true, 5]);
    });
    await todo.isIdle();
    assert.equal((await todo.writes()).length, 2);
    await service.client.patch('/api/todos/1', { completed: false });
    await isChecked(box, false);
  });

  it('that waits for another one is dropped at a reset, when ids mean other items', async (test) => {
    const { service, todo, page } = await openPage(test, ['one']);
    const send = await holdRequests(page, 'PATCH', '/api/todos/1');
    const isAsked = page.waitForRequest((request) => request.method() === 'PATCH');
    await page.getByRole('checkbox', { name: 'Done: one' }).check();
    await isAsked;
    await page.getByRole('group', { name: 'Priority of one' }).getByTitle('Priority 5').click();
    const stream = todo.exchanges.filter({ hasText: '/api/todos/events' });
    await stream.locator('summary').first().click();
    await service.reset();
    await stream.getByText('event: reset').waitFor();
    send();
    await todo.isIdle();
    assert.deepEqual(await todo.writes(), ['PATCH /api/todos/1']);
  });

  for (const [when, more] of [
    ['an event', undefined],
    ['the list', 'another'],
  ] as const) {
    it(`does not hide a later change that ${when} has shown before`, async (test) => {
      const { service, todo, page } = await openPage(test, ['mine']);
      await page.route(
        ({ pathname }) => pathname === '/api/todos/1',
        async (route) => {
          const response = await route.fetch();
          await service.client.patch('/api/todos/1', { title: 'theirs', completed: false });
          if (more !== undefined) await service.create({ title: more });
          await todo.shows(await service.titles());
          await route.fulfill({ response });
        },
        { times: 1 },
      );
      const isAnswered = page.waitForResponse(/\/api\/todos\/1$/);
      await page.getByRole('checkbox', { name: 'Done: mine' }).click();
      await isAnswered;
      await todo.isIdle();
      await todo.item('theirs').waitFor();
      await isChecked(page.getByRole('checkbox', { name: 'Done: theirs' }), false);
    });
  }
});

describe('what is typed while the page saves', () => {
  it('stays in the editor, to be saved as well', async (test) => {
    const { service, todo, page } = await openPage(test, ['one']);
    const editor = await todo.edit('one');
    const save = await holdRequests(page, 'PATCH', '/api/todos/1');
    const isAsked = page.waitForRequest((request) => request.method() === 'PATCH');
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
    const { todo, page } = await openPage(test, ['one', 'two', 'three']);
    const save = await holdRequests(page, 'PATCH', '/api/todos/1');
    await todo.edit('one');
    const first = page.getByRole('form', { name: 'Edit item 1' });
    await first.getByLabel('Title').fill('x'.repeat(201));
    await first.getByLabel('Title').press('Enter');
    await todo.edit('two');
    await page.getByRole('button', { name: 'Edit three' }).click();
    await page.getByRole('form', { name: 'Edit item 3' }).waitFor();
    assert.equal(await page.locator('form.editor').count(), 2);
    save();
    await first.getByText('must be at most 200 characters long').waitFor();
    assert.equal(await first.getByLabel('Title').inputValue(), 'x'.repeat(201));
    await first.getByRole('button', { name: 'Cancel' }).click();
    await first.waitFor({ state: 'detached' });
    assert.equal(await page.locator('form.editor').count(), 1);
  });
});

describe('a late response in the page', () => {
  it('does not take the focus from where the user is by then', async (test) => {
    const titles = Array.from({ length: 60 }, (_, index) => `item ${index + 1}`);
    const { todo, page } = await openPage(test, titles);
    const sendList = await holdRequests(page, 'GET', '/api/todos');
    await page.getByRole('link', { name: 'Next' }).click();
    await todo.newTitle.fill('typed');
    sendList();
    await todo.shows(titles.slice(50));
    await hasFocus(todo.newTitle);

    const editor = await todo.edit('item 60');
    await editor.getByLabel('Title').fill('last item');
    const save = await holdRequests(page, 'PATCH', '/api/todos/60');
    await editor.getByLabel('Title').press('Enter');
    await todo.newTitle.fill('typed, too');
    save();
    await todo.item('last item').waitFor();
    await hasFocus(todo.newTitle);

    const sendItem = await holdRequests(page, 'GET', '/api/todos/55');
    await page.getByRole('button', { name: 'Edit item 55' }).click();
    await todo.newTitle.fill('typed, as well');
    sendItem();
    await editor.waitFor();
    await hasFocus(todo.newTitle);

    await page.getByRole('button', { name: 'Delete item 57' }).click();
    await todo.undo.waitFor();
    const restore = await holdRequests(page, 'POST', '/api/todos');
    await todo.undo.click();
    await todo.newTitle.fill('typed in the end');
    restore();
    await page.getByText('Restored as item 61').waitFor();
    await hasFocus(todo.newTitle);
  });
});
