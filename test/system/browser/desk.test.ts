import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Route } from 'playwright-core';
import { eventually, isChecked, openPage, Service, TodoPage } from './todo-page.ts';

const TOKEN = 'secret-of-this-run';
const ENV = { ADMIN_TOKEN: TOKEN };
const AT = `/#token=${TOKEN}`;

/** Opens the page of a service with its token. */
const openDesk = (test: TestContext, titles: readonly string[] = [], env: object = {}) =>
  openPage(test, titles, { env: { ...ENV, ...env }, at: AT });

/** Reads the faults as another client, or sets them. */
async function faultsOf({ client }: Service, faults?: readonly object[]) {
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
  const set = { headers, body: JSON.stringify({ faults }) };
  const { text } =
    faults === undefined
      ? await client.get('/admin/faults', headers)
      : await client.request('PUT', '/admin/faults', set);
  return JSON.parse(text).faults;
}

/** Counts the requests of all tabs of a browser that have no end yet. */
function openRequests({ page }: TodoPage, isCounted = (_: string) => true) {
  const open = new Set<object>();
  let most = 0;
  const tabs = page.context();
  tabs.on('request', (request) => {
    if (isCounted(request.url())) open.add(request);
    most = Math.max(most, open.size);
  });
  tabs.on('requestfinished', (request) => open.delete(request));
  tabs.on('requestfailed', (request) => open.delete(request));
  return { now: () => open.size, most: () => most };
}

describe('the traffic of the desk', () => {
  it('has the requests of every client, and marks those of the page in words', async (test) => {
    const { service, todo, page } = await openDesk(test, ['one']);
    const send = (headers: Record<string, string>, title: string) =>
      service.client.post('/api/todos', { title }, headers);
    await send({ origin: 'http://localhost:5173' }, 'from a page');
    await send({ 'user-agent': 'curl/8.1.2' }, '');
    const [own, curl] = [todo.from('localhost:5173'), todo.from('curl')];
    await own.getByText('201', { exact: true }).waitFor();
    await curl.getByText('400', { exact: true }).waitFor();
    await todo.item('from a page').waitFor();
    assert.deepEqual(await todo.writes(), ['POST /api/todos', 'POST /api/todos']);

    await curl.locator('summary').first().click();
    const text = String(await curl.textContent());
    for (const part of ['"title": ""', '400 after', 'keeps no responses', '--data-raw']) {
      assert(text.includes(part), part);
    }
    assert((await todo.from('this page').count()) > 1);
    await page.getByLabel('Only other clients').check();
    await eventually(async () => {
      const shown = await todo.exchanges.evaluateAll(
        (rows) =>
          rows.filter((row) => row instanceof HTMLElement && row.offsetParent !== null).length,
      );
      assert.equal(shown, 3, 'two requests, and that for the document');
    });
  });

  it('shows the request and response of a click without another one, if it fits', async (test) => {
    const { todo, page } = await openDesk(test, ['one', 'two']);
    for (const title of ['one', 'two']) {
      await page.getByRole('checkbox', { name: `Done: ${title}` }).check();
      const id = title === 'one' ? 1 : 2;
      await page.getByText(`PATCH /api/todos/${id}`).waitFor();
      await eventually(async () => assert.equal(await page.getByText('200 after').count(), 1));
    }
    assert.equal(await todo.exchanges.locator('details[open]').count(), 1);
    const narrow = await openPage(test, ['one'], {
      look: { viewport: { width: 800, height: 600 } },
    });
    await narrow.page.getByRole('checkbox', { name: 'Done: one' }).check();
    await narrow.todo.isIdle();
    assert.equal(await narrow.todo.exchanges.locator('details[open]').count(), 0);
  });

  it('has the last 1,000 requests, and begins again after a reset or a restart', async (test) => {
    const { service, todo, page } = await openDesk(test, ['one']);
    const { client } = service;
    for (let sent = 0; sent < 1_010; sent += 101) {
      const batch = Array.from({ length: 101 }, (_, at) => client.get(`/api/todos?_=${sent + at}`));
      await Promise.all(batch);
    }
    await eventually(async () => assert.equal(await todo.exchanges.count(), 1_000));
    await page.reload();
    await eventually(async () => assert((await todo.exchanges.count()) > 990));
    const numbers = (await todo.requests()).filter((line) => line.includes('?_='));
    assert(numbers.length > 980);

    await todo.tab('Reset');
    await page.getByRole('button', { name: 'Reset to the seed' }).click();
    await eventually(async () => assert((await todo.requests()).length < 10));
    assert((await todo.requests()).includes('POST /admin/reset'));
    await client.get('/api/todos?_=after');
    // The page may load its list again after this request, so it need not be the first row.
    await eventually(async () => {
      assert((await todo.requests()).includes('GET /api/todos?_=after'));
    });
    await service.stop();
    await page.locator('#banner').getByText('Trying again').waitFor();
    await service.restart();
    await page.getByText('Live', { exact: true }).waitFor();
    await client.get('/api/todos?_=restarted');
    await eventually(async () => {
      const lines = await todo.requests();
      assert(lines.includes('GET /api/todos?_=restarted'));
      assert(!lines.includes('GET /api/todos?_=after'));
    });
  });
});

describe('the rows of the traffic', () => {
  it('are found by words of their method, path, status and client', async (test) => {
    const { service, todo, page } = await openDesk(test, ['one']);
    const agent = { 'user-agent': 'curl/8.1.2' };
    for (const path of ['/api/todos/1', '/api/todos/99', '/api/todos?search=oat+milk']) {
      await service.client.get(path, agent);
    }
    await service.client.delete('/api/todos/1', { 'user-agent': 'wget/1' });
    await todo.from('wget').getByText('204', { exact: true }).waitFor();
    const shown = () =>
      todo.exchanges.filter({ visible: true }).evaluateAll((rows) =>
        rows.map((row) => {
          const parts = [...row.querySelectorAll('summary b, .path, .client, .code')];
          return parts.map((part) => part.textContent).join(' ');
        }),
      );
    const filter = page.getByRole('searchbox', { name: 'Filter requests' });
    for (const [words, ...rows] of [
      ['curl 404', 'GET /api/todos/99 curl 404'],
      ['DELETE', 'DELETE /api/todos/1 wget 204'],
      ['wget', 'DELETE /api/todos/1 wget 204'],
      ['oat milk', 'GET /api/todos?search=oat milk curl 200'],
      ['CURL todos/1', 'GET /api/todos/1 curl 200'],
      ['nothing'],
    ] as const) {
      await filter.fill(words);
      await eventually(async () => assert.deepEqual(await shown(), rows, words));
    }
    await filter.fill('wget');
    await service.client.get('/api/todos/2', { 'user-agent': 'wget/1' });
    await eventually(async () => assert.equal((await shown()).length, 2));
    await service.client.get('/api/todos/3', agent);
    await filter.fill('');
    await todo.from('curl').filter({ hasText: 'todos/3' }).waitFor();
    assert((await shown()).length > 5);
  });

  it('are in the order of arrival, also after a reset', async (test) => {
    const { service, todo, page } = await openDesk(test, ['one']);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/api/todos', async (route) => {
      if (route.request().method() === 'POST') await held;
      await route.continue();
    });
    await todo.tab('Reset');
    await page.getByRole('button', { name: 'Reset to the seed' }).click();
    await page.getByText('The list has been reset.').waitFor();
    await todo.tab('Traffic');
    await page.getByRole('textbox', { name: 'New item' }).fill('held');
    await page.keyboard.press('Enter');
    const rows = async () => (await todo.requests()).filter((line) => /^POST|\?_=/.test(line));
    await eventually(async () => assert.equal((await rows())[0], 'POST /api/todos'));
    const headers = { authorization: `Bearer ${TOKEN}` };
    await service.client.request('POST', '/admin/reset', { headers });
    for (const number of [1, 2]) await service.client.get(`/api/todos?_=${number}`);
    await eventually(async () => assert.equal((await rows()).length, 4));
    release();
    await eventually(async () => {
      assert.deepEqual(await rows(), [
        'POST /api/todos',
        'GET /api/todos?_=2',
        'GET /api/todos?_=1',
        'POST /admin/reset',
      ]);
    });
  });

  it('mask secrets, also those that the page has sent', async (test) => {
    const { service, todo, page } = await openDesk(test, ['one'], { STRICT: 'off' });
    const target = '/api/todos?access_token=abc123&title.contains=token';
    await service.client.get(target, { 'x-jwt': 'def456', 'user-agent': 'curl/8' });
    const curl = todo.from('curl');
    await curl.getByText('200', { exact: true }).waitFor();
    await curl.locator('summary').first().click();
    await curl.getByText("/api/todos?access_token=[…]&title.contains=token'").waitFor();
    const operation = await todo.operation('listTodos');
    await operation.getByLabel('Header fields').fill('X-Api-Key: ghi789');
    await operation.getByRole('button', { name: 'Send' }).click();
    await operation.getByText('200 after').waitFor();
    await operation.getByText("'X-Api-Key: […]'").waitFor();
    const sent = await service.client.get('/admin/requests?header=X-Api-Key:ghi789', {
      authorization: `Bearer ${TOKEN}`,
    });
    assert.equal(sent.json<{ requests: unknown[] }>().requests.length, 1);
    await operation.getByLabel('Header fields').fill('');
    const shown = await page.content();
    for (const secret of ['abc123', 'def456', 'ghi789']) assert(!shown.includes(secret), secret);
  });
});

describe('the connections of the desk', () => {
  it('leave room for three open tabs', async (test) => {
    const { service, todo } = await openDesk(test);
    const held = openRequests(todo, (url) => url.includes('waitMs='));
    const tabs = [todo];
    for (let more = 0; more < 2; more++) {
      tabs.push(await todo.another(service.baseUrl + AT));
    }
    for (const [at, tab] of tabs.entries()) {
      await tab.add(`from tab ${at}`);
      await service.client.get(`/api/todos?_=${at}`);
      for (const { exchanges } of tabs) await exchanges.filter({ hasText: `?_=${at}` }).waitFor();
    }
    // One may begin before the end of the previous one is reported.
    assert(held.most() < tabs.length, `${held.most()} requests for the journal were held`);
    assert((await todo.from('another tab').count()) > 0);
  });

  it('end while the page is hidden', async (test) => {
    const { service, todo, page } = await openDesk(test);
    const open = openRequests(todo);
    await page.reload();
    await page.getByText('Live', { exact: true }).waitFor();
    await eventually(async () => assert.equal(open.now(), 2));
    const setHidden = (isHidden: boolean) =>
      page.evaluate((value) => {
        Object.defineProperty(document, 'hidden', { value, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
      }, isHidden);
    await setHidden(true);
    await eventually(async () => assert.equal(open.now(), 0));
    await service.client.get('/api/todos?_=meanwhile');
    await setHidden(false);
    await todo.exchanges.filter({ hasText: '?_=meanwhile' }).waitFor();
  });
});

describe('the conditions of the desk', () => {
  it('are the faults of the service, whoever sets them', async (test) => {
    const { service, todo, page } = await openDesk(test, ['one']);
    const faults = (set?: readonly object[]) => faultsOf(service, set);
    await todo.tab('Conditions');
    const toggle = (name: string) => page.getByRole('switch', { name });
    await toggle('Slow').click();
    await page.getByLabel('Slow: delay').selectOption('0.3 s');
    await eventually(async () => {
      assert.deepEqual(await faults(), [{ path: '/api/todos', delayMs: 300, hits: 0 }]);
    });

    await faults([
      { rate: 0.25, status: 503 },
      { path: '/api/todos', responseDelayMs: 1 },
    ]);
    await isChecked(toggle('Slow'), false);
    for (const name of ['Flaky', 'Late']) await isChecked(toggle(name), true);
    assert.equal(await page.getByLabel('Flaky: share').inputValue(), '0.25');
    assert.equal(await page.getByLabel('Late: delay').inputValue(), '1');

    const other = { method: 'GET', path: '/api/todos/7', status: 500, times: 2 };
    await faults([other]);
    await page.getByText('"times":2').first().waitFor();
    await toggle('Writes fail').click();
    await eventually(async () => assert.equal((await faults()).length, 5));
    assert.equal((await service.client.delete('/api/todos/1')).status, 500);
    await page.getByText('1 hit', { exact: true }).waitFor();
    await page.getByRole('button', { name: /^End {/ }).click();
    await eventually(async () => assert.equal((await faults()).length, 4));

    // A switch is found behind other faults, which stay as they are.
    const pass = { requestHeaders: { authorization: 'x' }, pass: true };
    const login = { path: '/api/login', status: 200, content: { id: 7 } };
    await faults([pass, { path: '/api/todos', delayMs: 700 }, login]);
    await isChecked(toggle('Slow'), true);
    await toggle('Late').click();
    await eventually(async () => assert.equal((await faults()).length, 4));
    await page.getByLabel('Slow: delay').selectOption('0.3 s');
    await eventually(async () => assert.equal((await faults())[0].delayMs, 300));
    await toggle('Late').click();
    await toggle('Slow').click();
    await eventually(async () => {
      assert.deepEqual(
        await faults(),
        [pass, login].map((fault) => ({ ...fault, hits: 0 })),
      );
    });
    await page.getByRole('button', { name: 'End all' }).click();
    await page.getByText('The service responds normally.').first().waitFor();
    assert.deepEqual(await faults(), []);
  });

  it('spare the page if it asks for that', async (test) => {
    const { service, todo, page } = await openDesk(test, ['one']);
    await todo.tab('Conditions');
    await page.getByLabel('Spare this page').check();
    await page.getByRole('switch', { name: 'Offline' }).click();
    await page.getByText('1 condition is on, but not for this page.').first().waitFor();
    await assert.rejects(service.client.get('/api/todos'));
    await page.getByText('Live', { exact: true }).waitFor();
    await todo.add('not met');
    const copied = JSON.parse(String(await page.locator('#faults-json').textContent()));
    assert.deepEqual(copied, [{ path: '/api/todos', abort: 'before' }]);
  });

  it('meet the page otherwise, which never says that it is live without a connection', async (test) => {
    const { service, todo, page } = await openDesk(test, ['one']);
    await todo.tab('Conditions');
    const [down, offline] = ['Down', 'Offline'].map((name) => page.getByRole('switch', { name }));
    assert(down && offline);
    await down.click();
    await page.locator('#live').getByText('No connection').waitFor();
    await offline.click();
    await page.locator('#banner').getByText('There is no connection').waitFor();
    await page.getByText('2 conditions are on.').first().waitFor();
    await isChecked(down, true);
    await assert.rejects(service.client.get('/api/todos'), 'the later switch decides');
    await offline.click();
    await page.getByText('1 condition is on.').first().waitFor();
    assert.equal((await service.client.get('/api/todos')).status, 503);
    await down.click();
    await page.getByText('Live', { exact: true }).waitFor();
    assert.equal(
      await page
        .getByText(/no connection/i)
        .filter({ visible: true })
        .count(),
      0,
    );
  });
});

describe('a reset by the desk', () => {
  it('can be undone, with ids, done items and 64-bit digits', async (test) => {
    const seed = [{ id: 2n ** 62n, title: 'big', completed: true }, { title: 'next' }];
    const env = ENV;
    const { service, todo, page } = await openPage(test, [], { seed, env, at: AT });
    await todo.add('added');
    const before = await service.client.get('/api/todos');
    await todo.tab('Reset');
    await page.getByRole('button', { name: 'Reset to the seed' }).click();
    await todo.shows(['big', 'next']);
    await page.getByText('The list has been reset.').waitFor();
    await todo.undo.click();
    await todo.shows(['big', 'next', 'added']);
    assert.equal((await service.client.get('/api/todos')).text, before.text);

    await page.getByRole('button', { name: 'Copy this list as a seed' }).click();
    await page.locator('#seed-preview').getByText('4611686018427387904').waitFor();
  });

  it('asks first if the items cannot come back', async (test) => {
    const { service, todo, page } = await openDesk(test, ['seeded']);
    // As many characters as a seed may have bytes, in twice as many bytes.
    const description = 'é'.repeat(1_000);
    for (let sent = 0; sent < 30; sent++) {
      const items = Array.from({ length: 25 }, () => ({ title: 'x', description }));
      assert.equal((await service.client.post('/api/todos/batch', items)).status, 201);
    }
    await todo.tab('Reset');
    const reset = page.getByRole('button', { name: 'Reset to the seed' });
    await reset.click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    assert.equal((await service.items()).length, 751);
    await eventually(async () => {
      await reset.click();
      await page.getByRole('button', { name: 'Reset', exact: true }).click();
    });
    await todo.shows(['seeded']);
    assert.equal(await todo.undo.isVisible(), false);
  });
});

describe('the token of the desk', () => {
  it('leaves the address at once, and is in no text of the page', async (test) => {
    const { service, todo, page } = await openDesk(test, ['one']);
    const referers: unknown[] = [];
    page.on('request', (request) => referers.push(request.headers().referer));
    assert.equal(page.url(), `${service.baseUrl}/`);
    await todo.tab('Conditions');
    await page.getByRole('switch', { name: 'Late' }).click();
    await todo.tab('Traffic');
    const put = todo.exchanges.filter({ hasText: '/admin/faults' }).last();
    await put.getByText('"Authorization: Bearer $ADMIN_TOKEN"').waitFor();
    const operation = await todo.operation('getFaults');
    const fields = operation.getByLabel('Header fields');
    assert.match(await fields.inputValue(), /Bearer \$ADMIN_TOKEN$/);
    await operation.getByRole('button', { name: 'Send' }).click();
    await operation.getByText('200 after').waitFor();
    // A token that a user types into the reference is not shown, either.
    await fields.fill(`Authorization: Bearer ${TOKEN}`);
    await operation.getByRole('button', { name: 'Send' }).click();
    await todo.isIdle();
    await fields.fill('');
    await todo.tab('Lists');
    await page.getByRole('link', { name: 'The list without a name' }).waitFor();
    assert(!(await page.content()).includes(TOKEN));
    assert.deepEqual(referers.filter(Boolean), []);
    const items = page.getByText('The service responds normally.');
    assert.equal(await items.count(), 0);

    // It stays for this tab alone.
    await page.reload();
    await page.getByRole('tab', { name: 'Conditions' }).getByText('1').waitFor();
    const second = await TodoPage.open(test, service.baseUrl);
    await second.page.getByLabel('Token', { exact: true }).last().waitFor();
  });

  it('is asked for, and another one if a restart has made the first invalid', async (test) => {
    const { todo: none, page: bare } = await openPage(test);
    await bare.getByText('Start it at a terminal').waitFor();
    await none.add('shown without a token');
    await none.exchanges.filter({ hasText: 'POST' }).waitFor();
    await none.tab('Conditions');
    assert.equal(await bare.getByRole('switch', { name: 'Slow' }).isVisible(), false);

    const service = await Service.start(test, { env: ENV });
    const { page } = await TodoPage.open(test, service.baseUrl);
    await page.getByText('Each tab needs the token. The terminal of the service').waitFor();
    await page.getByRole('textbox', { name: 'Token' }).fill('wrong');
    await page.getByRole('button', { name: 'Use' }).click();
    await page.getByText('The service refuses this token.').waitFor();
    await page.getByRole('textbox', { name: 'Token' }).fill(TOKEN);
    await page.getByRole('button', { name: 'Use' }).click();
    await page.getByText('The service refuses this token.').waitFor({ state: 'hidden' });

    // A late response that refuses an earlier token does not drop the new one.
    const late: Route[] = [];
    await page.route('**/admin/faults', (route) => late.push(route));
    const conditions = page.getByRole('tab', { name: 'Conditions' });
    await page.evaluate(() => {
      location.hash = '#token=of-an-earlier-run';
    });
    await conditions.click();
    await eventually(async () => assert.notEqual(late.length, 0));
    await page.unroute('**/admin/faults');
    await page.evaluate((token) => {
      location.hash = `#token=${token}`;
    }, TOKEN);
    await page.getByRole('switch', { name: 'Slow' }).waitFor();
    for (const route of late) await route.continue().catch(() => {});
    await page.getByRole('switch', { name: 'Slow' }).click();
    await page.getByText('1 condition is on.').first().waitFor();
    assert.equal(await page.getByText('The service refuses this token.').isVisible(), false);

    await service.stop();
    await service.restart({ ADMIN_TOKEN: 'of-the-next-run' });
    await page.getByText('The service refuses this token.').waitFor();
    // The address that the service prints, pasted into the open tab.
    await page.evaluate(() => {
      location.hash = '#token=of-the-next-run';
    });
    await page.getByText('The service refuses this token.').waitFor({ state: 'hidden' });
    assert.equal(page.url(), `${service.baseUrl}/`);
  });
});
