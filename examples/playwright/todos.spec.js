import { createServer } from 'node:http';
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
  const [sent] = await list.requests({ method: 'POST' });
  expect(JSON.parse(sent.content)).toMatchObject({ title: 'Sleep' });
  await list.setFaults();
  await expect(page.getByText('Sleep', { exact: true })).toBeVisible();
  expect(await list.requests({ method: 'POST' })).toHaveLength(1);
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

/**
 * A front end, and at its other address, which is another origin, a third party: its preflights allow
 * the content type alone. Counts the requests that have the field.
 */
function startFrontEnd(service) {
  let withField = 0;
  const server = createServer(({ url, method, headers }, response) => {
    if (headers.baggage !== undefined) withField++;
    const { port } = server.address();
    response.setHeader('Access-Control-Allow-Origin', '*');
    response.setHeader('Access-Control-Allow-Headers', 'content-type');
    if (method === 'OPTIONS') return response.end();
    response.setHeader('Content-Type', url === '/' ? 'text/html' : 'text/javascript');
    const other = `http://127.0.0.1:${port}`;
    response.end(
      url === '/'
        ? `<p></p><ul></ul><script type="module" crossorigin src="${other}/font.js"></script>`
        : `const [state, items] = document.querySelectorAll('p, ul');
           const headers = { 'Content-Type': 'application/json' };
           const third = await fetch('${other}/data', { method: 'POST', headers, body: '{}' });
           const show = async () => {
             const own = { headers: { baggage: 'own=1' } };
             const todos = await (await fetch('${service}/api/todos?limit=9', own)).json();
             items.textContent = todos.map(({ title }) => title).join();
           };
           new EventSource('${service}/api/todos/events').addEventListener('put', show);
           await show();
           state.textContent = 'third party: ' + third.status;`,
    );
  });
  return new Promise((resolve) => {
    server.listen(0, () => {
      const url = `http://localhost:${server.address().port}/`;
      resolve({ url, withField: () => withField, close: () => server.close() });
    });
  });
}

test('a front end loads things of other origins, which do not see the list', async ({
  page,
  list,
  request,
  baseURL,
  member,
}) => {
  const frontEnd = await startFrontEnd(baseURL);
  await page.goto(frontEnd.url);
  await expect(page.getByText('third party: 200')).toBeVisible();
  await expect(page.getByText('Buy milk', { exact: true })).toBeVisible();
  await list.create('Wake up');
  await expect(page.getByText('Buy milk,Wake up')).toBeVisible();
  expect(frontEnd.withField()).toBe(0);
  const [sent] = await list.requests({ query: 'limit=9', method: 'GET' });
  expect(sent.headers.baggage).toBe(`own=1,${member}`);
  expect(await (await request.get('/api/todos')).json()).toHaveLength(2);
  frontEnd.close();
});
