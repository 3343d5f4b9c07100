import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hasFocus, isChecked, openPage } from './todo-page.ts';

const TOKEN = 'a-token';

describe('errors in the page', () => {
  it('are shown at their fields, as the problem states them', async (test) => {
    const { todo, page } = await openPage(test);
    const { newTitle } = todo;
    await page.getByRole('button', { name: 'Details' }).click();
    await newTitle.fill('  ');
    await page.getByLabel('Description', { exact: true }).fill('x'.repeat(1_001));
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('alert').filter({ hasText: 'violates 2 rules' }).waitFor();
    const errorOf = async (label: string) => {
      const field = page.locator('#composer').getByLabel(label, { exact: true });
      assert.equal(await field.getAttribute('aria-invalid'), 'true');
      const id = await field.getAttribute('aria-describedby');
      return page.locator(`#${id}`).textContent();
    };
    assert.equal(await errorOf('New item'), 'Title is required');
    assert.equal(await errorOf('Description'), 'must be at most 1000 characters long');
    await hasFocus(newTitle);

    await newTitle.fill('right');
    await page.getByLabel('Description', { exact: true }).fill('short');
    await newTitle.press('Enter');
    await page.getByRole('button', { name: 'Edit right' }).waitFor();
    assert.equal(await page.locator('#composer [aria-invalid]').count(), 0);
    assert.equal(await page.locator('#composer .error').allTextContents().then(String), ',,,');
  });

  it('of any kind are reported, and the page shows the stored items', async (test) => {
    const env = { ADMIN_TOKEN: TOKEN };
    const { service, todo, page } = await openPage(test, ['one'], { env });
    await page.clock.install();
    const fail = async (faults: object[]) => {
      const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ faults });
      const answer = await service.client.request('PUT', '/admin/faults', { headers, body });
      assert.equal(answer.status, 200);
    };
    await fail([{ path: '/api/todos', method: 'PATCH', status: 500 }]);
    const box = page.getByRole('checkbox', { name: 'Done: one' });
    await box.click();
    const message = page.locator('#message');
    await message.filter({ hasText: /fault/i }).waitFor();
    await isChecked(box, false);
    await page.getByRole('button', { name: 'Close the message' }).click();
    await message.waitFor({ state: 'hidden' });
    await hasFocus(page.locator('#items'));

    await fail([{ path: '/api/todos', method: 'GET', status: 503 }]);
    await page.getByRole('radio', { name: 'Done' }).focus();
    await page.keyboard.press('Space');
    await page.locator('#list-problem').filter({ hasText: /fault/i }).waitFor();
    await todo.shows([]);
    const failed = page.waitForResponse((response) => !response.url().includes('completed'));
    await page.getByRole('radio', { name: 'All' }).focus();
    await page.keyboard.press('Space');
    assert.equal((await failed).status(), 503);
    await fail([]);
    await page.clock.fastForward(3_000);
    await todo.shows(['one']);
  });
});
