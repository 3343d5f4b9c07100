import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Locator } from 'playwright-core';
import { variantA } from '../../../src/service/todo/variant-a.ts';
import { manyFields } from '../../unit/web-page/many-fields.ts';
import { openPage } from './todo-page.ts';

it('the page creates, edits and ticks items of variant A', async (test) => {
  const { service, todo, page } = await openPage(test, [], { variant: variantA });
  await page.getByText(/^Todo service, variant A \u00b7 \d+\.\d+\.\d+$/).waitFor();
  await page.getByText('Nothing to do yet.').waitFor();
  await todo.newTitle.fill(' ');
  await todo.newTitle.press('Enter');
  await page.locator('#composer').getByText('must not be blank').waitFor();
  await todo.add('one');
  const editor = await todo.edit('one');
  await editor.getByLabel('Description', { exact: true }).fill('more');
  await editor.getByRole('button', { name: 'Save' }).click();
  await todo.item('one').getByText('more').waitFor();
  await page.getByRole('checkbox', { name: 'Done: one' }).check();
  await todo.isIdle();
  const stored = { id: 1, title: 'one', description: 'more', completed: true, priority: 3 };
  assert.deepEqual(await service.items(), [stored]);
});

describe('a variant with fields that no file of the page knows', () => {
  it('is shown, created, edited, filtered and sorted', async (test) => {
    const { service, todo, page } = await openPage(test, [], { variant: manyFields });
    const composer = page.locator('#composer');
    await todo.newTitle.fill('all of them');
    await todo.newTitle.press('Enter');
    await composer.getByText('must be present').waitFor();
    await composer.getByLabel('Owner').fill('Ann');
    await composer.getByLabel('Due at').fill('2026-12-24T18:00');
    await composer.getByLabel('Starred').selectOption('no');
    await composer.getByLabel('Effort').selectOption('3');
    await composer.getByLabel('Points').fill('7');
    await composer.getByLabel('Account').fill('9007199254740993');
    await todo.newTitle.press('Enter');
    await todo.item('all of them').waitFor();
    const stored = async () => (await service.client.get('/api/todos/1')).text;
    const has = async (...members: string[]) => {
      const text = await stored();
      for (const member of members) assert(text.includes(member), `${member} in ${text}`);
    };
    await has('"owner":"Ann"', '"dueAt":"2026-12-24T18:00:00.000"', '"starred":false');
    await has('"effort":3', '"points":7', '"account":9007199254740993', '"billable":null');
    await has('"guests":null', '"startAt":"2026-01-01T00:00:00.000"', '"notes":null');

    const facts = todo.items.first().locator('.facts');
    for (const fact of ['Due at 2026-12-24 18:00', 'Starred no', 'Views 0']) {
      await facts.getByText(fact).waitFor();
    }
    await todo.items.first().locator('.details').getByText('Ann').waitFor();
    const editor = await todo.edit('all of them');
    assert.equal(await editor.getByLabel('Views').count(), 0);
    const change = async (label: string, set: (control: Locator) => Promise<unknown>) =>
      set(editor.getByLabel(label, { exact: true }));
    await change('Starred', (box) => box.check());
    await change('Billable', (choice) => choice.selectOption('yes'));
    await change('Due at', (input) => input.fill(''));
    await change('Budget', (input) => input.fill('-9007199254740993'));
    await change('Notes', (input) => input.fill('one line'));
    await editor.getByRole('button', { name: 'Save' }).click();
    await editor.waitFor({ state: 'detached' });
    await has('"starred":true', '"billable":true', '"dueAt":null', '"notes":"one line"');
    await has('"budget":-9007199254740993', '"owner":"Ann"', '"points":7');

    await service.create({ title: 'another', owner: 'Bob' });
    await todo.filter('owner.eq', 'Bob');
    await todo.shows(['another']);
    await page.getByRole('button', { name: 'Remove the filter owner.eq=Bob' }).click();
    await page.getByLabel('Sort by').selectOption('points');
    await page.getByRole('button', { name: 'Ascending' }).click();
    await todo.shows(['all of them', 'another']);
    await service.create({ title: 'Also', owner: 'Bob' });
    await page.getByLabel('Sort by').selectOption('By title');
    await page.getByRole('button', { name: 'Descending' }).click();
    await todo.shows(['all of them', 'Also', 'another']);
  });
});
