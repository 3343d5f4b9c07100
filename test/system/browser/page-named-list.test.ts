import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openPage, TodoPage } from './todo-page.ts';

it('the page of a list with a name shows the name, and follows and changes this list alone', async (test) => {
  const env = { LISTS: 'anna,ben' };
  const { service, todo: base } = await openPage(test, ['seeded'], { env });
  const anna = await TodoPage.open(test, `${service.baseUrl}/lists/anna/`);
  // The path without a slash leads to the same page.
  const second = await TodoPage.open(test, `${service.baseUrl}/lists/anna`);
  for (const { page } of [anna, second]) {
    assert.match(await page.title(), /^anna \u00b7 Todo service/);
    await page
      .locator('#service')
      .filter({ hasText: /^anna \u00b7 Todo service/ })
      .waitFor();
  }
  assert.doesNotMatch(await base.page.title(), /anna/);

  await anna.add('from anna');
  await second.shows(['seeded', 'from anna']);
  await service.client.delete('/lists/anna/api/todos/1');
  for (const each of [anna, second]) await each.shows(['from anna']);
  const operation = await anna.operation('listTodos');
  await operation.getByRole('button', { name: 'Send' }).click();
  await operation.getByText('200 after').waitFor();
  await base.add('at the base');
  await base.shows(['seeded', 'at the base']);
  for (const each of [anna, second]) await each.shows(['from anna']);
  const bens = await service.client.get('/lists/ben/api/todos');
  assert.deepEqual(
    bens.json<{ title: string }[]>().map(({ title }) => title),
    ['seeded'],
  );

  const lists = base.page.getByRole('navigation', { name: 'Lists' });
  assert.deepEqual(await lists.getByRole('link').allInnerTexts(), ['anna', 'ben']);
  await lists.getByRole('link', { name: 'anna' }).click();
  await base.shows(['from anna']);
  assert(await lists.isHidden());
});
