import { expect, test } from './list.js';

test('says that an item could not be created, and keeps its text', async ({ page, list }) => {
  await page.goto('/');
  await expect(page.getByText('Buy milk', { exact: true })).toBeVisible();
  await list.setFaults({ method: 'POST', status: 503, times: 1 });
  const title = page.getByRole('textbox', { name: 'New item' });
  await title.fill('Sleep');
  await title.press('Enter');
  await expect(page.getByRole('alert').getByText('Injected by a fault')).toBeVisible();
  await expect(title).toHaveValue('Sleep');
  await title.press('Enter');
  await expect(title).toHaveValue('');
});

test('sends an item once, however long it takes', async ({ page, list }) => {
  await page.goto('/');
  // The request is held until the faults are replaced, so the page can be examined meanwhile.
  await list.setFaults({ method: 'POST', route: '/api/todos', delayMs: 3_600_000 });
  const title = page.getByRole('textbox', { name: 'New item' });
  await title.fill('Sleep');
  await title.press('Enter');
  const [sent] = await list.requests('POST');
  expect(JSON.parse(sent.content)).toMatchObject({ title: 'Sleep' });
  await list.setFaults();
  await expect(page.getByText('Sleep', { exact: true })).toBeVisible();
  expect(await list.requests('POST')).toHaveLength(1);
});

test('follows changes again after its events were disconnected', async ({ page, list }) => {
  await page.goto('/');
  await expect(page.getByText('Buy milk', { exact: true })).toBeVisible();
  await list.cutStreams();
  await list.create('Wake up');
  await expect(page.getByText('Wake up', { exact: true })).toBeVisible();
});

test('a second page of a test shows the same list', async ({ context }) => {
  for (const page of [await context.newPage(), await context.newPage()]) {
    await page.goto('/');
    await expect(page.getByText('Buy milk', { exact: true })).toBeVisible();
  }
});

test('each of four workers has its own list', async ({ page, list, baseURL }) => {
  const lists = async () => (await list.admin.get('/admin/lists')).json();
  await expect.poll(lists).toHaveLength(4);
  await page.goto('/');
  await page.getByRole('checkbox', { name: 'Done: Buy milk' }).check();
  const items = async () => (await list.admin.get('/api/todos')).json();
  await expect.poll(items).toMatchObject([{ title: 'Buy milk', completed: true }]);
  // Without the field, this is the list at the base.
  expect(await (await fetch(`${baseURL}/api/todos`)).json()).toEqual([]);
});
