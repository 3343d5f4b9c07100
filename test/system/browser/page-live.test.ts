import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Todo } from '../../support/requests.ts';
import { eventually, hasFocus, isChecked, openPage, TodoPage } from './todo-page.ts';

describe('the page and concurrent changes', () => {
  it('follows changes by other clients, even after a restart', async (test) => {
    const { service, todo: one } = await openPage(test, ['seeded']);
    const two = await TodoPage.open(test, service.baseUrl);
    await one.add('from one');
    await two.shows(['seeded', 'from one']);
    await two.page.getByRole('checkbox', { name: 'Done: from one' }).check();
    await isChecked(one.page.getByRole('checkbox', { name: 'Done: from one' }), true);
    await service.create({ title: 'from a program' });
    for (const each of [one, two]) await each.shows(['seeded', 'from one', 'from a program']);
    await service.client.delete('/api/todos/1');
    for (const each of [one, two]) await each.shows(['from one', 'from a program']);
    await two.newTitle.fill('half a thou');

    await service.stop();
    for (const { page } of [one, two]) {
      await page.getByRole('status').filter({ hasText: 'Trying again' }).waitFor();
    }
    await two.newTitle.press('Enter');
    await two.page.getByText('Your text is still here.').waitFor();
    assert.equal(await two.newTitle.inputValue(), 'half a thou');

    await service.restart();
    for (const each of [one, two]) {
      await each.page.getByText('Live', { exact: true }).waitFor();
      await each.shows(['seeded']);
      await each.page.locator('#banner').waitFor({ state: 'hidden' });
    }
    await two.newTitle.press('Enter');
    await one.shows(['seeded', 'half a thou']);
    await service.reset();
    for (const each of [one, two]) await each.shows(['seeded']);
  });

  it('shows that it is offline, and reconnects by itself', async (test) => {
    const { service, todo, page } = await openPage(test, ['a']);
    await page.context().setOffline(true);
    // Chromium fires no event if the machine has no network anyway.
    await page.evaluate(() => dispatchEvent(new Event('offline')));
    const attempts = todo.exchanges.filter({ hasText: '/api/todos/events' });
    await attempts.filter({ hasText: 'No response' }).first().waitFor();
    await page.locator('#banner').getByText('There is no connection').waitFor();
    assert.equal(await page.locator('#live').textContent(), 'No connection');
    await page.getByRole('checkbox', { name: 'Done: a' }).click();
    const message = page.getByRole('alert').filter({ hasText: 'may not have been made' });
    await message.waitFor();
    await isChecked(page.getByRole('checkbox', { name: 'Done: a' }), false);
    const tick = todo.exchanges.filter({ hasText: 'PATCH' });
    await todo.openExchange(tick);
    assert.equal(await tick.locator('.error').textContent(), 'No response');
    await service.create({ title: 'meanwhile' });
    await page.context().setOffline(false);
    await todo.shows(['a', 'meanwhile']);
    await page.getByText('Live', { exact: true }).waitFor();
    assert.equal(await message.isVisible(), true);
  });

  it('does not overwrite changes by another client', async (test) => {
    const { service, todo } = await openPage(test, ['shared']);
    const editor = await todo.edit('shared');
    const title = editor.getByLabel('Title');
    await title.fill('mine');
    await service.client.patch('/api/todos/1', { title: 'theirs' });
    await title.press('Enter');
    const notice = editor.getByRole('alert').filter({ hasText: 'This item was changed' });
    await notice.waitFor();
    assert.match(String(await notice.textContent()), /Titletheirs/);
    await hasFocus(notice);
    await title.press('Enter');
    assert.equal(await title.inputValue(), 'mine');
    assert.deepEqual(await service.titles(), ['theirs']);
    await hasFocus(notice);

    await service.client.patch('/api/todos/1', { priority: 5 });
    for (const change of ['Titletheirs', 'Priority5']) {
      await notice.filter({ hasText: change }).waitFor();
      await editor.getByRole('button', { name: 'Keep my changes' }).click();
      await title.press('Enter');
    }
    await todo.shows(['mine']);
    const { priority, ...stored } = (await service.client.get('/api/todos/1')).json<Todo>();
    assert.deepEqual([stored.title, priority], ['mine', 5]);

    await todo.edit('mine');
    await title.fill('mine, too');
    await service.client.patch('/api/todos/1', { description: 'theirs, too' });
    await title.press('Enter');
    await editor.getByRole('button', { name: 'Discard my changes' }).click();
    assert.equal(
      await editor.getByLabel('Description', { exact: true }).inputValue(),
      'theirs, too',
    );
  });

  it('saves at the next try if another client has changed the item and changed it back', async (test) => {
    const { service, todo } = await openPage(test, ['shared']);
    const editor = await todo.edit('shared');
    const title = editor.getByLabel('Title');
    await title.fill('mine');
    for (const text of ['theirs', 'shared']) {
      await service.client.patch('/api/todos/1', { title: text });
    }
    await title.press('Enter');
    await todo.exchanges.filter({ hasText: '412' }).waitFor();
    await eventually(async () => {
      const reads = (await todo.requests()).filter((line) => line === 'GET /api/todos/1');
      assert.equal(reads.length, 2, 'when it was opened, and after the 412');
    });
    await todo.isIdle();
    assert.deepEqual(await service.titles(), ['shared']);
    await title.press('Enter');
    await todo.shows(['mine']);
  });

  it('closes its stream while hidden, and then catches up', async (test) => {
    const { service, todo, page } = await openPage(test, ['before']);
    await page.clock.install();
    const setHidden = (isHidden: boolean) =>
      page.evaluate((value) => {
        Object.defineProperty(document, 'hidden', { value, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
      }, isHidden);
    const streams = todo.exchanges.filter({ hasText: '/api/todos/events' });
    await setHidden(true);
    await page.clock.fastForward(5_000);
    await eventually(async () => {
      assert.doesNotMatch(String(await streams.first().textContent()), /open$/);
    });
    await service.create({ title: 'meanwhile' });
    await setHidden(false);
    await todo.shows(['before', 'meanwhile']);
    assert.equal(await streams.count(), 2);
  });
});
