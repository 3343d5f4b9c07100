import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { it } from 'node:test';
import { startTodoService } from '../../../src/package/index.ts';
import { ServiceProcess } from '../../support/process.ts';
import { listen } from './listen.ts';
import { eventually, isChecked, Service, TodoPage } from './todo-page.ts';

/** Options of Node that make a process take its output for a terminal. */
const TERMINAL = `--import=data:text/javascript,${encodeURIComponent('process.stdout.isTTY = true')}`;

/** A front end that shows a spinner until it has the list of a service. */
const frontEnd = (api: string) => `<!doctype html><title>Mine</title>
<p id="spinner" role="status" hidden>Loading</p><ul id="list"></ul><button>Load</button><script>
document.querySelector('button').onclick = async () => {
  spinner.hidden = false;
  list.replaceChildren();
  const todos = await (await fetch('${api}')).json();
  list.append(...todos.map(({ title }) => Object.assign(document.createElement('li'), { textContent: title })));
  spinner.hidden = true;
};</script>`;

it('ten minutes of a front-end developer: from a terminal to a test with a slow service', async (test) => {
  const service = new ServiceProcess(test, ['--port=0'], { NODE_OPTIONS: TERMINAL, CI: '' });
  const address = /Open (\S+)/.exec(await service.printed('Open '))?.[1] ?? assert.fail();
  const todo = await TodoPage.open(test, address);
  const { page } = todo;
  assert.equal(page.url(), address.replace(/#.*/, ''));
  await todo.add('Buy milk');

  const api = `${page.url()}api/todos`;
  const html = frontEnd(api);
  const server = createServer((_, response) =>
    response.setHeader('Content-Type', 'text/html').end(html),
  );
  const own = await listen(test, server);
  const mine = await page.context().newPage();
  await mine.goto(own);
  const load = mine.getByRole('button', { name: 'Load' });
  await load.click();
  await mine.getByText('Buy milk').waitFor();
  const seen = todo.from(new URL(own).host);
  await seen.getByText('200', { exact: true }).waitFor();

  await todo.tab('Conditions');
  await page.getByLabel('Slow: delay').selectOption('10 s');
  await page.getByRole('switch', { name: 'Slow' }).click();
  await page.getByText('1 condition is on.').first().waitFor();
  await load.click();
  await mine.getByText('Loading').waitFor();
  // The request waits; it goes on when the condition ends.
  await eventually(async () => assert.equal(await seen.count(), 2));
  assert.equal(await mine.getByText('Buy milk').count(), 0);
  await page.getByText('1 hit', { exact: true }).waitFor();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Copy', exact: true }).last().click();
  await page.getByText('Copied').waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  await page.getByRole('switch', { name: 'Slow' }).click();
  await mine.getByText('Buy milk').waitFor();

  // The developer's own test, with the fault from the clipboard.
  const tested = await startTodoService({ seed: [{ title: 'Buy milk' }] });
  test.after(() => tested.stop());
  const faults = JSON.parse(copied);
  assert.deepEqual(faults, [{ path: '/api/todos', delayMs: 10_000 }]);
  await tested.faults(faults);
  await mine.setContent(frontEnd(`${tested.url}/api/todos`));
  await load.click();
  await mine.getByText('Loading').waitFor();
  await tested.waitForRequests({ path: '/api/todos' });
  assert.equal(await mine.getByText('Buy milk').count(), 0);
  await tested.faults([]);
  await mine.getByText('Buy milk').waitFor();
  await mine.getByText('Loading').waitFor({ state: 'hidden' });
});

it('ten minutes of a teacher: a list for each of thirty students, and one removed', async (test) => {
  const token = 'of-the-teacher';
  const seed = [{ title: 'First exercise' }];
  const service = await Service.start(test, { seed, env: { ADMIN_TOKEN: token } });
  const todo = await TodoPage.open(test, `${service.baseUrl}/#token=${token}`);
  const { page } = todo;
  await todo.tab('Lists');
  const names = Array.from({ length: 28 }, (_, index) => `Student ${index + 1}`);
  await page.getByLabel('New lists').fill(['Anna Müller', 'Anna Müller', ...names].join('\n'));
  await page.getByText('anna-muller, anna-muller-2, student-1').waitFor();
  await page.getByRole('button', { name: 'Make 30 lists' }).click();
  await page.getByText('30 lists have names.').waitFor();
  const links = String(await page.locator('#list-links').textContent()).split('\n');
  assert.equal(links.length, 30);
  for (const link of links) {
    assert(!link.includes(token));
    const { pathname } = new URL(link);
    assert.equal((await service.client.get(pathname, { accept: 'text/html' })).status, 200);
  }

  // A student has a page and a list of her own, and no desk.
  const anna = await TodoPage.open(test, links[0] ?? assert.fail());
  await anna.add('From Anna');
  await anna.shows(['First exercise', 'From Anna']);
  await todo.shows(['First exercise']);
  await anna.page.getByText('Each tab needs the token').waitFor();
  const row = page
    .locator('#named-lists li')
    .filter({ has: page.getByText('anna-muller', { exact: true }) });
  await row.getByText(/^2 items/).waitFor();

  // The teacher sees what she sends, and makes her service slow alone.
  await page.getByRole('link', { name: 'anna-muller', exact: true }).click();
  await page.getByText('Live', { exact: true }).waitFor();
  await todo.shows(['First exercise', 'From Anna']);
  await todo.from('another tab').filter({ hasText: 'POST' }).waitFor();
  await todo.tab('Conditions');
  await page.getByRole('switch', { name: 'Writes fail' }).click();
  await page.getByText('1 condition is on.').first().waitFor();
  await isChecked(page.getByRole('switch', { name: 'Writes fail' }), true);
  const post = (path: string) => service.client.post(path, { title: 'x' });
  assert.equal((await post('/lists/anna-muller/api/todos')).status, 500);
  assert.equal((await post('/lists/student-1/api/todos')).status, 201);

  await todo.tab('Lists');
  await page.getByRole('button', { name: 'Remove student-28' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove student-28' }).click();
  await page.getByText('29 lists have names.').waitFor();
  assert.equal((await service.client.get('/lists/student-28/api/todos')).status, 404);
  await page.getByLabel('New lists').fill('Anna Müller');
  await page.getByRole('button', { name: 'Make a list' }).click();
  await page.locator('#announcer').getByText('Made: 0 lists').waitFor({ state: 'attached' });
  await todo.shows(['First exercise', 'From Anna']);
});
