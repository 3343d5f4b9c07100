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
  await expect(page.getByText('Buy milk', { exact: true })).toBeVisible();
  await service.faults([{ method: 'POST', status: 503, times: 1 }]);
  const title = page.getByRole('textbox', { name: 'New item' });
  await title.fill('Sleep');
  await title.press('Enter');
  await expect(page.getByText('Injected by a fault')).toBeVisible();
  await expect(title).toHaveValue('Sleep');
  await title.press('Enter');
  await expect(title).toHaveValue('');
});

test('sends an item once, however long it takes', async ({ page }) => {
  await page.goto(service.url);
  // The request is held until the faults are replaced, so the page can be examined meanwhile.
  await service.faults([{ method: 'POST', route: '/api/todos', delayMs: 3_600_000 }]);
  const title = page.getByRole('textbox', { name: 'New item' });
  await title.fill('Sleep');
  await title.press('Enter');
  const [sent] = await service.waitForRequests({ method: 'POST' });
  expect(JSON.parse(sent.content)).toMatchObject({ title: 'Sleep' });
  await service.faults([]);
  await expect(page.getByText('Sleep', { exact: true })).toBeVisible();
  expect(await service.requests({ method: 'POST' })).toHaveLength(1);
});

test('follows changes again after its events were disconnected', async ({ page }) => {
  await page.goto(service.url);
  await expect(page.getByText('Buy milk', { exact: true })).toBeVisible();
  service.cutStreams();
  await fetch(`${service.url}/api/todos`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"title":"Wake up"}',
  });
  await expect(page.getByText('Wake up', { exact: true })).toBeVisible();
});
