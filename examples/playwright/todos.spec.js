import { expect, test } from '@playwright/test';
import { startTodoService } from 'todo-service';

let service;

test.beforeAll(async () => {
  service = await startTodoService({ seed: [{ title: 'Buy milk' }] });
});
test.beforeEach(() => service.reset());
test.afterAll(() => service.stop());

test('says that an item could not be created, and keeps its text', async ({ page }) => {
  await page.goto(service.url);
  await expect(page.getByText('Buy milk')).toBeVisible();
  service.faults([{ method: 'POST', status: 503, times: 1 }]);
  const title = page.getByRole('textbox', { name: 'New item' });
  await title.fill('Sleep');
  await title.press('Enter');
  await expect(page.getByText('Injected by PUT /admin/faults')).toBeVisible();
  await expect(title).toHaveValue('Sleep');
  await title.press('Enter');
  await expect(title).toHaveValue('');
});

test('follows changes again after its events were disconnected', async ({ page }) => {
  await page.goto(service.url);
  await expect(page.getByText('Buy milk')).toBeVisible();
  service.cutStreams();
  await fetch(`${service.url}/api/todos`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"title":"Wake up"}',
  });
  await expect(page.getByText('Wake up')).toBeVisible();
});
