import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventually, hasFocus, holdRequests, isChecked, openPage } from './todo-page.ts';

describe('work under way in the page', () => {
  it('is shown while an item is being added, by one request', async (test) => {
    const { service, todo, page } = await openPage(test);
    const send = await holdRequests(page, 'POST', '/api/todos');
    await page.getByRole('button', { name: 'Details' }).click();
    await todo.newTitle.fill('slow');
    await todo.newTitle.press('Enter');
    await page.locator('#composer [aria-busy="true"]').waitFor();
    await todo.newTitle.press('Enter');
    const description = page.getByLabel('Description', { exact: true });
    await description.fill('typed meanwhile');
    send();
    await page.getByRole('button', { name: 'Add', exact: true }).waitFor();
    await todo.shows(['slow']);
    assert.deepEqual(await service.titles(), ['slow']);
    assert.equal(await description.inputValue(), 'typed meanwhile');
  });

  it('is a deletion, after earlier changes, by one request, that leaves its row in place', async (test) => {
    const { service, todo, page } = await openPage(test, ['one']);
    const sendTick = await holdRequests(page, 'PATCH', '/api/todos/1');
    const send = await holdRequests(page, 'DELETE', '/api/todos/1');
    const isAsked = page.waitForRequest((request) => request.method() === 'DELETE');
    const remove = page.getByRole('button', { name: 'Delete one' });
    await page.getByRole('checkbox', { name: 'Done: one' }).check();
    await remove.click();
    await service.create({ title: 'two' });
    await todo.shows(['one', 'two']);
    assert.deepEqual(await todo.writes(), ['PATCH /api/todos/1']);
    const tick = todo.exchanges.filter({ hasText: 'PATCH' });
    await todo.openExchange(tick);
    await tick.getByText('No response yet', { exact: true }).waitFor();
    sendTick();
    await isAsked;
    await remove.click();
    assert.equal(await todo.items.first().getAttribute('aria-busy'), 'true');
    send();
    await todo.shows(['two']);
    assert.deepEqual(await todo.writes(), ['DELETE /api/todos/1', 'PATCH /api/todos/1']);
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
    const priority = page.getByLabel('Priority of mine');
    for (const step of ['4', '1', '5']) await priority.selectOption(step);
    await service.create({ title: 'theirs' });
    await todo.shows(['mine', 'theirs']);
    assert.equal(await box.isChecked(), true);
    send();
    await eventually(async () => {
      const [{ completed, priority } = assert.fail()] = await service.items();
      assert.deepEqual([completed, priority], [true, 5]);
    });
    await todo.isIdle();
    assert.equal(await priority.inputValue(), '5');
    await service.client.patch('/api/todos/1', { completed: false });
    await isChecked(box, false);
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

    const sendItem = await holdRequests(page, 'GET', '/api/todos/55');
    await page.getByRole('button', { name: 'Edit item 55' }).click();
    await todo.newTitle.fill('typed, as well');
    sendItem();
    await todo.isIdle();
    assert.equal(await page.getByRole('dialog').count(), 0);
    await hasFocus(todo.newTitle);
  });
});
