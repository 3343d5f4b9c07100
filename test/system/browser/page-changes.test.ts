import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventually, hasFocus, hasValue, openPage } from './todo-page.ts';

/** Items of which every other one is done. */
function halfDone(count: number) {
  return Array.from({ length: count }, (_, index) => ({
    title: `item ${index + 1}`,
    completed: index % 2 === 1,
  }));
}

describe('deleting an item in the page', () => {
  it('sends the request at once, on condition of the entity tag', async (test) => {
    const { service, todo, page } = await openPage(test, ['one', 'two', 'three']);
    await page.getByRole('button', { name: 'Delete two' }).click();
    await todo.shows(['one', 'three']);
    assert.deepEqual(await service.titles(), ['one', 'three']);
    assert.equal(await todo.count.textContent(), '2 items');
    await hasFocus(page.getByRole('button', { name: 'Delete three' }));
    await page.getByText('Deleted: two').waitFor();
    const sent = todo.exchanges.filter({ hasText: 'DELETE' });
    await todo.openExchange(sent);
    await sent.getByText('If-Match', { exact: true }).waitFor();
    await page.locator('#outcome').getByRole('button', { name: 'Close' }).click();
    await todo.undo.waitFor({ state: 'hidden' });
    await hasFocus(page.locator('#items'));
  });

  it('deletes nothing that another client has just changed', async (test) => {
    const options = { env: { MAX_EVENT_STREAMS: '0' }, state: 'No live updates' };
    const { service, todo, page } = await openPage(test, ['one'], options);
    await todo.shows(['one']);
    await service.client.patch('/api/todos/1', { title: 'theirs' });
    await page.getByRole('button', { name: 'Delete one' }).click();
    await page.getByRole('alert').filter({ hasText: 'so it was not deleted' }).waitFor();
    await todo.shows(['theirs']);
  });

  it('is undone by creating the item again, done if it was done', async (test) => {
    const seed = [
      { title: 'one', description: '', priority: 5, completed: true },
      { title: 'two', description: null },
    ];
    const { service, todo, page } = await openPage(test, [], { seed });
    const [one, two] = await service.items();
    await page.getByRole('button', { name: 'Delete one' }).click();
    await todo.undo.click();
    await todo.shows(['two', 'one']);
    const link = page.getByText('Restored as').getByRole('link', { name: 'item 3' });
    await link.waitFor();
    assert.deepEqual(await todo.writes(), [
      'PATCH /api/todos/3',
      'POST /api/todos',
      'DELETE /api/todos/1',
    ]);

    await page.getByRole('button', { name: 'Delete two' }).click();
    await page.getByText('Deleted: two').waitFor();
    await page.keyboard.press('Control+z');
    await page.getByRole('link', { name: 'item 4' }).waitFor();
    const restored = await service.items();
    assert.deepEqual(
      restored.map(({ createdAt, ...values }) => values),
      [one, two].map((item, index) => {
        const { createdAt, ...values } = item ?? assert.fail();
        return { ...values, id: index + 3 };
      }),
    );
    await page.getByRole('link', { name: 'item 4' }).click();
    await todo.shows(['two']);
    assert.equal(new URL(page.url()).search, '?id=4');
    await todo.item('two').getByText('#4').waitFor();
    await page.getByText('Restored as').waitFor({ state: 'hidden' });
  });

  it('cannot be undone after a reset, when ids mean other items', async (test) => {
    const { service, todo, page } = await openPage(test, ['one', 'two']);
    await page.getByRole('button', { name: 'Delete one' }).click();
    await todo.undo.waitFor();
    await service.reset();
    await todo.shows(['one', 'two']);
    await todo.undo.waitFor({ state: 'hidden' });
    await page.keyboard.press('Control+z');
    await todo.add('three');
    assert.deepEqual(await service.titles(), ['one', 'two', 'three']);
  });
});

it('an empty list in the page offers to add sample items, in one request that can be undone', async (test) => {
  const { service, todo, page } = await openPage(test);
  const samples = page.getByRole('button', { name: 'Add 3 sample items' });
  await samples.press('Enter');
  await page.getByText('Added: 3 items').waitFor();
  await samples.waitFor({ state: 'hidden' });
  await hasFocus(page.locator('#items'));
  assert.equal((await service.titles()).length, 3);
  await todo.undo.click();
  await samples.waitFor();
  assert.deepEqual(await service.titles(), []);
  assert.deepEqual(await todo.writes(), ['DELETE /api/todos', 'POST /api/todos/batch']);
  await service.create({ title: 'by another client' });
  await samples.waitFor({ state: 'hidden' });
});

describe('a pasted list in the page', () => {
  it('is added by one request and removed by one', async (test) => {
    const { service, todo, page } = await openPage(test, ['before']);
    const { newTitle } = todo;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Details' }).click();
    await page.locator('#composer').getByLabel('Priority').selectOption('5');
    await page.evaluate(() => navigator.clipboard.writeText('Bread\r\n\r\n  Milk \r\nTea\r\n'));
    await newTitle.press('Control+v');
    await page.getByRole('button', { name: 'Add 3 items' }).waitFor();
    await newTitle.press('Enter');
    await todo.shows(['before', 'Bread', '  Milk ', 'Tea']);
    await page.getByText('Added: 3 items').waitFor();
    await page.getByRole('button', { name: 'Add', exact: true }).waitFor();
    await hasFocus(newTitle);
    assert.deepEqual(
      (await service.items()).slice(1).map(({ priority }) => priority),
      [5, 5, 5],
    );
    await newTitle.press('Control+z');
    assert.equal((await service.titles()).length, 4);
    await todo.undo.click();
    await todo.shows(['before']);
    await page.getByText('Undone: 3 items').waitFor();
    assert.deepEqual(await service.titles(), ['before']);
    assert.deepEqual(await todo.writes(), ['DELETE /api/todos', 'POST /api/todos/batch']);
  });

  it('can be typed with Shift+Enter, and is removed except for what has changed since', async (test) => {
    const { service, todo, page } = await openPage(test);
    const { newTitle } = todo;
    await todo.add('one');
    await newTitle.pressSequentially('two');
    await newTitle.press('Shift+Enter');
    await newTitle.pressSequentially('three');
    await newTitle.press('Enter');
    await todo.shows(['one', 'two', 'three']);
    await hasValue(newTitle, '');
    assert.deepEqual(await todo.writes(), ['POST /api/todos/batch', 'POST /api/todos']);
    await service.client.patch('/api/todos/2', { title: 'second' });
    await todo.undo.click();
    await page.getByText('Undone: 1 item. Kept, because changed since: 1 item').waitFor();
    await todo.shows(['one', 'second']);
  });

  it('shows which line breaks a rule, and adds none', async (test) => {
    const { service, todo, page } = await openPage(test);
    await todo.newTitle.fill(`fits\n\n${'x'.repeat(201)}\nfits, too`);
    await todo.newTitle.press('Enter');
    await page.getByText('item 2: must be at most 200 characters long').waitFor();
    assert.equal(await todo.newTitle.inputValue(), `fits\n${'x'.repeat(201)}\nfits, too`);
    assert.deepEqual(await service.titles(), []);
  });

  it('is added as far as the store has room; the other lines stay', async (test) => {
    const { service, todo, page } = await openPage(test, [], { table: { maxRows: 250 } });
    const titles = Array.from({ length: 330 }, (_, index) => `item ${index + 1}`);
    await todo.newTitle.fill(titles.join('\n'));
    await todo.newTitle.press('Enter');
    await page.getByRole('alert').filter({ hasText: 'delete some items first' }).waitFor();
    assert.equal(await todo.newTitle.inputValue(), titles.slice(200).join('\n'));
    await page.getByRole('button', { name: 'Add 130 items' }).waitFor();
    await page.getByText('Added: 200 items').waitFor();
    assert.deepEqual(await service.titles(), titles.slice(0, 200));

    await page.route(/id\.in=101/, (route) => route.abort(), { times: 1 });
    await todo.undo.click();
    await page.getByRole('alert').filter({ hasText: 'may not have been made' }).waitFor();
    assert.equal((await service.titles()).length, 100);
    await todo.undo.click();
    await eventually(async () => assert.deepEqual(await service.titles(), []));
  });
});

it('the page ticks all open items that a filter shows, on every page, in one request', async (test) => {
  const seed = halfDone(240).map((item, index) => ({ ...item, priority: index % 4 < 2 ? 1 : 5 }));
  const { service, todo, page } = await openPage(test, [], { seed, at: '/?priority.gte=5' });
  await page.getByText('of 120 items').waitFor();
  await page.getByRole('button', { name: 'Tick all open' }).click();
  await page.getByText('Ticked: 60 items').waitFor();
  const open = (await service.items()).filter(({ completed }) => !completed);
  assert.equal(open.length, 60);
  assert(open.every(({ priority }) => priority === 1));
  assert.deepEqual(await todo.writes(), ['PATCH /api/todos']);
});

it('the page asks how many, and deletes all done items that a search shows in one request', async (test) => {
  const seed = [...halfDone(240), { title: 'other', completed: true }];
  const { service, todo, page } = await openPage(test, [], { seed, at: '/?search=item' });
  const clear = page.getByRole('button', { name: 'Delete all done' });
  const dialog = page.getByRole('dialog', { name: 'Delete 120 done items?' });
  await clear.click();
  await hasFocus(dialog.getByRole('button', { name: 'Cancel' }));
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  await hasFocus(clear);
  await clear.press('Enter');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'hidden' });
  assert.deepEqual(await todo.writes(), []);

  await clear.click();
  await hasFocus(dialog.getByRole('button', { name: 'Cancel' }));
  await service.create({ title: 'item done meanwhile' });
  await service.client.patch('/api/todos/242', { completed: true });
  await page.keyboard.press('Tab');
  await hasFocus(dialog.getByRole('button', { name: 'Delete 120 items' }));
  await page.keyboard.press('Enter');
  await page.getByText('Deleted: 121 items').waitFor();
  assert.equal(await todo.undo.isVisible(), false);
  assert.equal((await service.titles()).length, 121);
  assert.deepEqual(await todo.writes(), ['DELETE /api/todos']);
  await hasFocus(clear);
});
