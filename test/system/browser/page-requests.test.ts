import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { eventually, isChecked, openPage, Service, TodoPage } from './todo-page.ts';

const run = promisify(execFile);

const TOKEN = 'a-token';

describe('requests in the page', () => {
  it('are all shown in full, and can be repeated with curl', async (test) => {
    const service = await Service.start(test);
    const sent: string[] = [];
    const todo = await TodoPage.open(test, 'about:blank');
    const { page } = todo;
    page.on('request', (request) => {
      const { pathname, search } = new URL(request.url());
      sent.push(`${request.method()} ${pathname}${search}`);
    });
    await todo.openAt(service.baseUrl);
    await todo.add("it's here");
    await eventually(async () => {
      const [document, ...others] = sent;
      assert.equal(document, 'GET /');
      assert.deepEqual((await todo.requests()).sort(), others.sort());
    });

    // A click shows its request and response at once.
    const post = todo.exchanges.filter({ hasText: 'POST' });
    await eventually(async () => {
      const text = String(await post.textContent());
      for (const part of ['201', 'ms', 'Content-Type', 'location', '/api/todos/1', '"priority": 3'])
        assert(text.includes(part), part);
    });
    const response = post.locator('section').nth(1);
    const parts = await response.evaluate((section) => [...section.children].map((e) => e.tagName));
    assert.deepEqual(parts, ['P', 'P', 'PRE', 'DL', 'DETAILS']);
    const length = response.getByText('content-length');
    assert.equal(await length.isVisible(), false);
    await response.getByText(/common header fields$/).click();
    await length.waitFor();
    const command = String(await post.locator('.curl').textContent());
    const { stdout } = await run('sh', ['-c', `${command} --silent`]);
    assert.match(stdout, /^HTTP\/1\.1 201 /);
    await todo.shows(["it's here", "it's here"]);

    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await post.getByRole('button', { name: 'Copy' }).click();
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    await eventually(async () => assert.equal(await copied(), command));
  });

  it('include the event stream as it grows, and none for the list after a tick', async (test) => {
    const { service, todo, page } = await openPage(test);
    const stream = todo.exchanges.filter({ hasText: '/api/todos/events' });
    await stream.locator('summary').first().click();
    await service.create({ title: 'seen in the stream' });
    await stream.getByText('seen in the stream').waitFor();
    assert.match(String(await stream.locator('summary').first().textContent()), /open$/);
    await todo.shows(['seen in the stream']);
    const lists = todo.exchanges.filter({ hasText: '/api/todos?limit=50' });
    await todo.isIdle();
    const count = await lists.count();
    const box = page.getByRole('checkbox', { name: 'Done: seen in the stream' });
    await box.check();
    await service.client.patch('/api/todos/1', { completed: false });
    await isChecked(box, false);
    await todo.isIdle();
    assert.equal(await lists.count(), count, 'the event has brought the change');
  });

  it('can be cleared and hidden', async (test) => {
    const { todo, page } = await openPage(test, ['one']);
    const toggle = page.getByRole('button', { name: /^Desk/ });
    // The page may still be sending its first requests.
    await eventually(async () => {
      await page.getByRole('button', { name: 'Clear' }).click();
      assert.equal(await todo.exchanges.count(), 0);
    });
    await toggle.press('Enter');
    assert.equal(await toggle.getAttribute('aria-expanded'), 'false');
    await page.locator('#desk-body').waitFor({ state: 'hidden' });
  });
});

describe('the reference in the page', () => {
  it('has every operation of the document, and can send each', async (test) => {
    const options = { env: { ADMIN_TOKEN: TOKEN } };
    const { service, todo, page } = await openPage(test, ['one', 'two'], {
      ...options,
      at: `/#token=${TOKEN}`,
    });
    const { paths } = (await service.client.get('/openapi.json')).json<{
      paths: Record<string, Record<string, { operationId: string; summary: string }>>;
    }>();
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
    const shown = page.locator('.operation');
    const fetched = todo.from('this page').filter({ hasText: '/openapi.json' });
    await todo.isIdle();
    assert.deepEqual([await fetched.count(), await shown.count()], [0, 0]);
    const reference = page.getByText('Reference', { exact: true });
    await page.route(/openapi/, (route) => route.abort(), { times: 1 });
    await reference.click();
    const problem = page.locator('#reference-problem');
    await problem.getByText('No response came from the service.').waitFor();
    for (let clicks = 0; clicks < 2; clicks++) await reference.click();
    await eventually(async () => assert.equal(await shown.count(), operations.length));
    await problem.waitFor({ state: 'hidden' });
    for (let clicks = 0; clicks < 2; clicks++) await reference.click();
    assert.equal(await fetched.count(), 2, 'the failed one, and the next one');

    const statuses = new Map<string, string>();
    // Deletes come last, so that other requests find items.
    const order = operations.sort((a, b) => weight(a.operationId) - weight(b.operationId));
    for (const { operationId, summary } of order) {
      const operation = await todo.operation(operationId);
      const form = operation.getByRole('form', { name: summary });
      if (/^(delete|patch)Todos$/.test(operationId)) {
        await form.getByLabel('where').fill('{"id":0}');
      }
      await form.getByRole('button', { name: 'Send' }).click();
      const start = operation.locator('.start').nth(1);
      await start.waitFor();
      statuses.set(operationId, String(await start.textContent()).slice(0, 3));
      const stop = form.getByRole('button', { name: 'Stop' });
      if (operationId === 'watchTodos') {
        await operation.getByText('event: ready').waitFor();
        await stop.click();
        await stop.waitFor({ state: 'hidden' });
      }
      await operation.locator('summary').first().click();
    }
    const expected = new Map([...statuses.keys()].map((id) => [id, '200']));
    for (const id of ['deleteTodo', 'reset', 'cutStreams', 'clearRequests', 'removeList']) {
      expected.set(id, '204');
    }
    for (const id of ['createTodo', 'createTodos', 'putList']) expected.set(id, '201');
    assert.deepEqual(statuses, expected);
  });

  it('sends edited requests, and the list follows', async (test) => {
    const { todo } = await openPage(test, ['one', 'two']);
    const operation = await todo.operation('createTodo');
    const content = operation.getByLabel('Content', { exact: true });
    for (const example of await operation.locator('.chip').all()) {
      await content.fill('');
      await example.click();
      assert.equal(typeof JSON.parse(await content.inputValue()).title, 'string');
    }
    await content.fill('{"title":"by hand"}');
    await operation.getByRole('button', { name: 'Send' }).click();
    await todo.shows(['one', 'two', 'by hand']);

    const list = await todo.operation('listTodos');
    await list.getByText(/more filters/).click();
    await list.getByLabel('title.startsWith').fill('tw');
    await list.getByRole('button', { name: 'Send' }).click();
    await list.getByText('200 after').waitFor();
    const answer = String(await list.locator('pre').first().textContent());
    assert.deepEqual(
      JSON.parse(answer).map(({ title }: { title: string }) => title),
      ['two'],
    );

    const get = await todo.operation('getTodo');
    await get.getByLabel('Header fields').fill('no such: \u00e9\u20ac');
    await get.getByLabel('Header fields').press('Control+Enter');
    await get.locator('.error').first().waitFor();
    await get.getByLabel('Header fields').fill('');
    await get.getByLabel('id', { exact: false }).first().fill('a/b');
    await get.getByRole('button', { name: 'Send' }).click();
    await get.getByText('GET /api/todos/a%2Fb').waitFor();

    await get.getByRole('form').evaluate((form) => {
      for (let times = 0; times < 1001; times++) form.dispatchEvent(new Event('submit'));
    });
    await eventually(async () => assert.equal(await todo.exchanges.count(), 1000));
  });
});

function weight(operationId: string): number {
  return ['setFaults', 'clearFaults', 'deleteTodo', 'reset'].indexOf(operationId);
}
