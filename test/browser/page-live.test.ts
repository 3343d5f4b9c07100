import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import type { Todo } from '../support/client.ts';
import { launchBrowser } from './browser.ts';
import { eventually, hasFocus, isChecked, Service, seedOf, TodoPage } from './todo-page.ts';

let browser: Browser;
before(async () => {
  browser = await launchBrowser();
});
after(() => browser.close());

describe('the page and concurrent changes', () => {
  it('follows changes by other clients, even after a restart', async (test) => {
    const service = await Service.start(test, { seed: seedOf(['seeded']) });
    const one = await TodoPage.open(test, browser, service.baseUrl);
    const two = await TodoPage.open(test, browser, service.baseUrl);
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
    const service = await Service.start(test, { seed: seedOf(['a']) });
    const todo = await TodoPage.open(test, browser, service.baseUrl);
    await todo.page.context().setOffline(true);
    const attempts = todo.exchanges.filter({ hasText: '/api/todos/events' });
    await attempts.filter({ hasText: 'No connection' }).first().waitFor();
    await todo.page.getByText('This device is offline.').waitFor();
    await todo.page.getByRole('checkbox', { name: 'Done: a' }).click();
    const message = todo.page.getByRole('alert').filter({ hasText: 'may not have been made' });
    await message.waitFor();
    await isChecked(todo.page.getByRole('checkbox', { name: 'Done: a' }), false);
    await service.create({ title: 'meanwhile' });
    await todo.page.context().setOffline(false);
    await todo.shows(['a', 'meanwhile']);
    await todo.page.getByText('Live', { exact: true }).waitFor();
    assert.equal(await message.isVisible(), true);
  });

  it('does not overwrite changes by another client', async (test) => {
    const service = await Service.start(test, { seed: seedOf(['shared']) });
    const todo = await TodoPage.open(test, browser, service.baseUrl);
    const { page } = todo;
    const editor = await todo.edit('shared');
    const title = editor.getByLabel('Title');
    await title.fill('mine');
    const theirs = await service.client.patch('/api/todos/1', { title: 'theirs' });
    assert.equal(theirs.status, 200);
    const notice = editor.getByRole('alert').filter({ hasText: 'This item was changed' });
    await notice.waitFor();
    assert.match(String(await notice.textContent()), /Titletheirs/);
    await title.press('Enter');
    assert.equal(await title.inputValue(), 'mine');
    assert.deepEqual(await service.titles(), ['theirs']);
    await hasFocus(notice);
    await page.keyboard.press('Enter');
    assert.equal(await title.inputValue(), 'mine');
    const take = editor.getByRole('button', { name: 'Discard my changes' });

    await service.client.patch('/api/todos/1', { priority: 5 });
    await notice.filter({ hasText: 'Priority5' }).waitFor();
    await editor.getByRole('button', { name: 'Keep my changes' }).click();
    await title.press('Enter');
    await todo.shows(['mine']);
    const { priority, ...stored } = (await service.client.get('/api/todos/1')).json<Todo>();
    assert.deepEqual([stored.title, priority], ['mine', 5]);

    await todo.edit('mine');
    await service.client.patch('/api/todos/1', { description: 'theirs, too' });
    await take.click();
    assert.equal(
      await editor.getByLabel('Description', { exact: true }).inputValue(),
      'theirs, too',
    );
  });

  it('learns of a conflict from the service if it missed the change', async (test) => {
    const options = { env: { MAX_EVENT_STREAMS: '0' }, seed: seedOf(['shared']) };
    const service = await Service.start(test, options);
    const todo = await TodoPage.open(test, browser, service.baseUrl, {}, 'No live updates');
    const { page } = todo;
    const editor = await todo.edit('shared');
    await service.client.patch('/api/todos/1', { title: 'theirs' });
    await editor.getByLabel('Title').fill('mine');
    await editor.getByLabel('Title').press('Enter');
    await editor.getByText('This item was changed').waitFor();
    await page.locator('#exchanges').getByText('412', { exact: true }).waitFor();
    assert.deepEqual(await service.titles(), ['theirs']);
    await editor.getByRole('button', { name: 'Discard my changes' }).click();
    await editor.getByLabel('Title').fill('ours');
    await editor.getByLabel('Title').press('Enter');
    await page.getByRole('button', { name: 'Edit ours' }).waitFor();
    assert.deepEqual(await service.titles(), ['ours']);
  });

  it('reconnects by itself without events, too', async (test) => {
    const service = await Service.start(test, { env: { MAX_EVENT_STREAMS: '0' } });
    const todo = await TodoPage.open(test, browser, service.baseUrl, {}, 'No live updates');
    const { page } = todo;
    await todo.hold(3_000);
    await service.stop();
    await page.getByLabel('Sort').selectOption('-id');
    await page.getByText('There is no connection to the service.').waitFor();
    await service.restart();
    await todo.later(3_000);
    await page.getByText('There is no connection').waitFor({ state: 'hidden' });
    await page.getByText('Nothing to do yet.').waitFor();
  });

  it('says so if there are no events any more', async (test) => {
    const service = await Service.start(test, { seed: seedOf(['one']) });
    const todo = await TodoPage.open(test, browser, service.baseUrl);
    await todo.shows(['one']);
    await service.stop();
    await service.restart({ env: { MAX_EVENT_STREAMS: '0' }, seed: seedOf(['two']) });
    await todo.page.getByText('No live updates', { exact: true }).waitFor();
    await todo.page.getByText('The service has been updated.').waitFor();
    await todo.shows(['two']);
    assert.equal(await todo.page.locator('#banner').isVisible(), false);
  });

  it('closes its stream while hidden, and then catches up', async (test) => {
    const service = await Service.start(test, { seed: seedOf(['before']) });
    const todo = await TodoPage.open(test, browser, service.baseUrl);
    const { page } = todo;
    const setHidden = (isHidden: boolean) =>
      page.evaluate((value) => {
        Object.defineProperty(document, 'hidden', { value, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
      }, isHidden);
    const streams = todo.exchanges.filter({ hasText: '/api/todos/events' });
    await setHidden(true);
    await todo.later(5_000);
    await eventually(async () => {
      assert.doesNotMatch(String(await streams.first().textContent()), /open$/);
    });
    await service.create({ title: 'meanwhile' });
    await setHidden(false);
    await todo.shows(['before', 'meanwhile']);
    assert.equal(await streams.count(), 2);
  });

  it('has no stream as long as it has never been seen', async (test) => {
    const service = await Service.start(test, { seed: seedOf(['before']) });
    const todo = await TodoPage.open(test, browser, 'about:blank');
    const { page } = todo;
    await page.addInitScript(() =>
      Object.defineProperty(document, 'hidden', { value: true, configurable: true }),
    );
    await todo.openAt(service.baseUrl, 'Connecting');
    await todo.shows(['before']);
    await page.evaluate(() => dispatchEvent(new Event('online')));
    const streams = todo.exchanges.filter({ hasText: '/api/todos/events' });
    assert.equal(await streams.count(), 0);
    await page.evaluate(() => {
      Object.defineProperty(document, 'hidden', { value: false });
      document.dispatchEvent(new Event('visibilitychange'));
    });
    await page.getByText('Live', { exact: true }).waitFor();
  });

  it('deletes and undoes nothing by an id from before a reset', async (test) => {
    const service = await Service.start(test, { seed: seedOf(['one', 'two']) });
    const todo = await TodoPage.open(test, browser, service.baseUrl);
    await todo.page.getByRole('button', { name: 'Delete one' }).click();
    await todo.shows(['two']);
    await service.reset();
    await todo.shows(['one', 'two']);
    await todo.undo.waitFor({ state: 'hidden' });
    await todo.page.getByRole('button', { name: 'Delete two' }).click();
    await todo.later(6_000);
    await todo.exchanges.filter({ hasText: 'DELETE' }).getByText('204', { exact: true }).waitFor();
    assert.deepEqual(await service.titles(), ['one']);

    await todo.newTitle.fill('three\nfour');
    await todo.newTitle.press('Enter');
    await todo.shows(['one', 'three', 'four']);
    await todo.undo.waitFor();
    await service.reset();
    await todo.undo.waitFor({ state: 'hidden' });
  });

  it('keeps the input for an item that another client deletes', async (test) => {
    const service = await Service.start(test, { seed: seedOf(['shared']) });
    const todo = await TodoPage.open(test, browser, service.baseUrl);
    const editor = await todo.edit('shared');
    await editor.getByLabel('Title').fill('not lost');
    await service.client.delete('/api/todos/1');
    await editor.getByText('This item was deleted').waitFor();
    await editor.getByRole('button', { name: 'Create it again' }).click();
    assert.equal(await todo.newTitle.inputValue(), 'not lost');
    await todo.newTitle.press('Enter');
    await todo.shows(['not lost']);
    assert.deepEqual(await service.titles(), ['not lost']);
  });

  it('stays responsive during a thousand changes', async (test) => {
    const service = await Service.start(test);
    const todo = await TodoPage.open(test, browser, service.baseUrl);
    await todo.newTitle.fill('being typed');
    let lists = 0;
    todo.page.on('request', (request) => {
      if (request.url().includes('limit=50')) lists++;
    });
    const titles = Array.from({ length: 1_000 }, (_, index) => `item ${index}`);
    await Promise.all(titles.map((title) => service.create({ title })));
    await eventually(async () => {
      assert.match(String(await todo.count.textContent()), /of 1,000 items/);
    });
    assert.equal(await todo.items.count(), 50);
    assert.equal(await todo.newTitle.inputValue(), 'being typed');
    assert(lists < 500, `changes are batched, in ${lists} requests`);
  });
});

describe('values in the page', () => {
  it('keeps the digits of ids above 2^53', async (test) => {
    const id = 2n ** 53n + 1n;
    const service = await Service.start(test, { table: { firstId: id } });
    const todo = await TodoPage.open(test, browser, service.baseUrl);
    for (const title of ['one', 'two']) await todo.add(title);
    await todo.page.getByText(`#${id + 1n}`).waitFor();
    await todo.page.getByRole('checkbox', { name: 'Done: two' }).check();
    const editor = await todo.edit('two');
    await editor.getByLabel('Title').fill('second');
    await editor.getByLabel('Title').press('Enter');
    await todo.shows(['one', 'second']);
    await todo.page.getByRole('button', { name: 'Delete one' }).click();
    await todo.page.getByRole('button', { name: 'Delete second' }).click();
    await eventually(async () => assert.deepEqual(await service.titles(), ['second']));
    const list = (await service.client.get('/api/todos')).text;
    assert.match(list, new RegExp(`"id":${id + 1n},"title":"second".*"completed":true`));
  });

  it('distinguishes null from an empty description, and shows createdAt', async (test) => {
    const service = await Service.start(test);
    await service.create({ title: 'none', description: null });
    await service.create({ title: 'empty', description: '' });
    const todo = await TodoPage.open(test, browser, service.baseUrl);
    assert.equal(await todo.item('none').locator('.details').textContent(), 'null');
    assert.equal(await todo.item('empty').locator('.details').isVisible(), false);
    const { createdAt = '' } = (await service.client.get('/api/todos/1')).json<Todo>();
    const facts = await todo.item('none').locator('.facts').textContent();
    assert.equal(facts, `#1 \u00b7 Created at ${createdAt.slice(0, 16).replace('T', ' ')}`);

    const editor = await todo.edit('empty');
    await editor.getByLabel('null').check();
    await editor.getByRole('button', { name: 'Save' }).click();
    await editor.waitFor({ state: 'detached' });
    const { description } = (await service.client.get('/api/todos/2')).json<Todo>();
    assert.equal(description, null);
  });
});
