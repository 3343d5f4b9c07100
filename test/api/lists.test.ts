import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { clock } from '../../src/lib/clock.ts';
import { startTodoService } from '../../src/package/index.ts';
import { variantA } from '../../src/service/todo/variant-a.ts';
import { variantB } from '../../src/service/todo/variant-b.ts';
import { AUTHORIZED, startAdmin, TOKEN } from '../support/admin.ts';
import { assertProblem, violationsIn } from '../support/assertions.ts';
import { ManualClock } from '../support/clock.ts';
import { EventClient } from '../support/events.ts';
import { titles as titlesOf } from '../support/items.ts';
import { LIST } from '../support/paths.ts';
import { getRequest } from '../support/raw-requests.ts';
import type { Todo } from '../support/requests.ts';
import { appOf, startApp } from '../support/service.ts';
import { turnsUntil } from '../support/within.ts';

const start = async (test: TestContext, env: Readonly<Record<string, string>> = {}) => {
  const service = await startAdmin(test, variantA, { env });
  const put = (name: string, seed?: unknown) => service.admin('PUT', `/admin/lists/${name}`, seed);
  const titles = async (name: string) => {
    const answer = await service.client.get(`/lists/${name}${LIST}`);
    assert.equal(answer.status, 200, answer.text);
    return answer.json<Todo[]>().map(({ title }) => title);
  };
  return { ...service, put, titles };
};

describe('a list with a name', () => {
  it('is made, reset, listed and removed', async (test) => {
    const { admin, client, put, titles } = await start(test);
    const made = await put('ben', [{ title: 'one' }]);
    assert.equal(made.status, 201);
    const { bytes, ...described } = made.json<{ bytes: number }>();
    assert.deepEqual(described, { name: 'ben', path: '/lists/ben', items: 1 });
    assert(bytes > 0);
    assert.equal((await put('anna')).status, 201);
    assert.deepEqual(await titles('anna'), ['first', 'second', 'third']);
    const all = (await admin('GET', '/admin/lists')).json<{ name: string }[]>();
    assert.deepEqual(
      all.map(({ name }) => name),
      ['anna', 'ben'],
    );
    assert.equal((await put('ben', [])).status, 200);
    assert.deepEqual(await titles('ben'), []);
    for (let i = 0; i < 2; i++) {
      assert.equal((await admin('DELETE', '/admin/lists/ben')).status, 204);
    }
    assertProblem(await client.get(`/lists/ben${LIST}`), 404, 'unknown-path');
    assert.deepEqual(await titles('anna'), ['first', 'second', 'third']);
    assert.deepEqual(await titlesOf(client), ['first', 'second', 'third']);
  });

  it('is not replaced with If-None-Match', async (test) => {
    const { admin, titles } = await start(test);
    const put = (seed: object) => admin('PUT', '/admin/lists/anna', seed, { 'if-none-match': '*' });
    assert.equal((await put([{ title: 'kept' }])).status, 201);
    assertProblem(await put([]), 412, 'precondition-failed');
    assert.deepEqual(await titles('anna'), ['kept']);
  });

  it('is not removed if a precondition fails', async (test) => {
    const { admin, client, put, titles } = await start(test);
    const remove = (name: string, field: string, value: string) =>
      admin('DELETE', `/admin/lists/${name}`, undefined, { [field]: value });
    await put('anna', [{ title: 'kept' }]);
    for (const [name, field, value] of [
      ['anna', 'if-match', '"x"'],
      ['anna', 'if-none-match', '*'],
      ['missing', 'if-match', '*'],
    ] as const) {
      assertProblem(await remove(name, field, value), 412, 'precondition-failed');
    }
    assertProblem(await remove('anna', 'if-match', 'x'), 400, 'invalid-precondition');
    assert.deepEqual(await titles('anna'), ['kept']);
    assert.equal((await remove('missing', 'if-none-match', '*')).status, 204);
    assert.equal((await remove('anna', 'if-match', '*')).status, 204);
    assertProblem(await client.get(`/lists/anna${LIST}`), 404, 'unknown-path');
  });

  it('has everything once more below its path, except what is about the process', async (test) => {
    const { admin, client, put } = await start(test);
    await put('anna');
    const created = await client.post(`/lists/anna${LIST}`, { title: 'x' });
    assert.equal(created.headers.location, `/lists/anna${LIST}/4`);
    for (const path of ['/', '/openapi.json', `${LIST}/1`]) {
      assert.equal((await client.get(`/lists/anna${path}`)).status, 200, path);
    }
    const { paths } = (await client.get('/lists/anna/openapi.json')).json<{ paths: object }>();
    assert('/admin/reset' in paths && !('/livez' in paths));
    const ofLists = (path: string) => path.startsWith('/admin/lists');
    assert.deepEqual(Object.keys(paths).filter(ofLists), []);
    for (const path of ['/admin/faults', '/admin/requests']) {
      assert.equal((await admin('GET', `/lists/anna${path}`)).status, 200, path);
      assertProblem(await client.get(`/lists/anna${path}`), 401, 'unauthorized');
    }
    for (const [path, isAtBase] of [
      ['/livez', true],
      ['/readyz', true],
      ['/metrics', true],
      ['/admin/lists', true],
      ['/admin/nope', false],
      ['/livez/nope', false],
    ] as const) {
      const answer = await admin('GET', `/lists/anna${path}`);
      const { detail } = assertProblem(answer, 404, 'unknown-path');
      const hint = isAtBase ? `; it may be at ${path}` : `; the items are at /lists/anna${LIST}`;
      assert.equal(detail, `No resource has the path /lists/anna${path}${hint}`);
      assert.equal((await admin('GET', path)).status === 404, !isAtBase, path);
    }
    const health = await client.get('/lists/anna/health');
    const { detail } = assertProblem(health, 404, 'unknown-path');
    assert.match(detail, /\/health; did you mean \/livez or \/readyz\?$/);
    const redirect = await client.get('/lists/anna?x=1');
    assert.deepEqual([redirect.status, redirect.headers.location], [308, '/lists/anna/?x=1']);
  });

  it('has its own faults and journal, in paths without its prefix', async (test) => {
    const { admin, client, put, requests, faults } = await start(test);
    await put('anna');
    const set = { faults: [{ path: LIST, status: 503 }] };
    assert.equal((await admin('PUT', '/lists/anna/admin/faults', set)).status, 200);
    assert.equal((await client.get(`/lists/anna${LIST}`)).status, 503);
    assert.equal((await client.get(LIST)).status, 200);
    const own = (await admin('GET', `/lists/anna/admin/requests?path=${LIST}&route=${LIST}`)).json<{
      requests: { target: string }[];
    }>();
    assert.deepEqual(
      own.requests.map(({ target }) => target),
      [`/lists/anna${LIST}`],
    );
    assert.deepEqual(
      (await requests()).map(({ target }) => target),
      [LIST],
    );
    assert.deepEqual(await faults(), []);
    assert.equal((await admin('POST', '/lists/anna/admin/reset')).status, 204);
    assert.equal((await client.get(`/lists/anna${LIST}`)).status, 200);
  });

  it('has its own events, which end when it is removed', async (test) => {
    const { admin, client, put, baseUrl } = await start(test);
    await put('anna');
    const base = await EventClient.open(baseUrl);
    const own = await EventClient.open(baseUrl, undefined, `/lists/anna${LIST}/events`);
    await own.next();
    await base.next();
    await client.post(`/lists/anna${LIST}`, { title: 'x' });
    assert.equal((await own.next()).event, 'put');
    await put('anna');
    assert.equal((await own.next()).event, 'reset');
    await admin('DELETE', '/admin/lists/anna');
    await own.ended();
    await client.post(LIST, { title: 'base' });
    const { data } = await base.next();
    assert.equal(JSON.parse(data).title, 'base');
    base.close();
  });

  it('has tags of its own, and others after it was reset or removed', async (test) => {
    const { admin, client, put } = await start(test);
    const tags = new Set<unknown>([(await client.get(LIST)).headers.etag]);
    for (let i = 0; i < 6; i++) {
      await put('anna');
      tags.add((await client.get(`/lists/anna${LIST}`)).headers.etag);
      if (i % 2 === 1) await admin('DELETE', '/admin/lists/anna');
    }
    assert.equal(tags.size, 7);
  });

  it('has metrics together with all others, without its name, and no counter falls', async (test) => {
    const { admin, client, put } = await start(test);
    const metric = async (name: string) => {
      const { text } = await client.get('/metrics');
      assert(!text.includes('anna'), text);
      return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1]);
    };
    const [rows, commits] = [await metric('todo_rows'), await metric('todo_commits_total')];
    await put('anna', [{ title: 'x' }]);
    await client.get(`/lists/anna${LIST}`);
    assert.equal(await metric('todo_rows'), rows + 1);
    const more = await metric('todo_commits_total');
    assert(more > commits);
    await admin('DELETE', '/admin/lists/anna');
    assert.equal(await metric('todo_rows'), rows);
    assert.equal(await metric('todo_commits_total'), more);
  });
});

describe('the name of a list', () => {
  it('has 1 to 64 unreserved characters, and is not a dot segment', async (test) => {
    const { admin, client, put } = await start(test);
    for (const name of ['a', 'A-z_0.9~', 'x'.repeat(64), '...']) {
      assert.equal((await put(name)).status, 201, name);
    }
    for (const name of ['x'.repeat(65), 'a%20b', '%61', 'a:b', 'ä', 'a@b']) {
      assertProblem(await put(encodeURI(name).replaceAll('%25', '%')), 400, 'invalid-name');
    }
    for (const name of ['%61', '.', '..', '%2e']) {
      assertProblem(await client.get(`/lists/${name}${LIST}`), 400, 'invalid-name');
      assertProblem(await put(name), 400, 'invalid-name');
      assertProblem(await admin('DELETE', `/admin/lists/${name}`), 400, 'invalid-name');
    }
    assert.equal((await admin('GET', '/admin/lists')).json<unknown[]>().length, 4);
  });

  it('that no list has is 404, whose detail says how to make it', async (test) => {
    const { client } = await start(test);
    const { detail } = assertProblem(await client.get(`/lists/anna${LIST}`), 404, 'unknown-path');
    assert.match(detail, /PUT \/admin\/lists\/anna makes it/);
    const without = await startApp(test, variantA);
    const other = await without.client.get(`/lists/anna${LIST}`);
    assert.match(assertProblem(other, 404, 'unknown-path').detail, /LISTS=anna makes it/);
    // Without lists, nothing shows that there could be some.
    for (const name of ['', '.hidden', '%41']) {
      assertProblem(await without.client.get(`/lists/${name}${LIST}`), 404, 'unknown-path');
    }
  });

  it('can be given at the start, also below a base path', async (test) => {
    const FAULTS_BELOW = `[{"path":"/todo${LIST}","status":503,"times":1}]`;
    const env = { LISTS: 'anna,ben', BASE_PATH: '/todo', FAULTS: FAULTS_BELOW };
    const { client } = await startApp(test, variantA, { env });
    for (const name of ['anna', 'ben']) {
      const statuses = [];
      for (let i = 0; i < 2; i++) {
        statuses.push((await client.get(`/todo/lists/${name}${LIST}`)).status);
      }
      assert.deepEqual(statuses, [503, 200]);
    }
    const LISTS = Array.from({ length: 101 }, (_, i) => i).join();
    assert.throws(() => appOf(variantA, { env: { LISTS } }), /LISTS must be/);
  });
});

for (const BASE_PATH of ['', '/todo']) {
  it(`the lists of LISTS are linked at the base, others are not: "${BASE_PATH}"`, async (test) => {
    const env = { LISTS: 'ben,anna', BASE_PATH, ADMIN_TOKEN: TOKEN };
    const { client } = await startApp(test, variantB, { env });
    const at = (path: string) => client.get(BASE_PATH + path);
    const change = (method: string, name: string) =>
      client.request(method, `${BASE_PATH}/admin/lists/${name}`, { headers: AUTHORIZED });
    const linked = async (path: string) => {
      const { links } = (await at(path)).json<{ links: { href: string }[] }>();
      return links.map(({ href }) => href).filter((href) => href.startsWith('lists/'));
    };
    const inPage = async (path: string) => {
      const page = await client.get(BASE_PATH + path, { accept: 'text/html' });
      const [, data = ''] = /id="data">([^<]*)</.exec(page.text) ?? [];
      return JSON.parse(data).lists.map((name: string) => `lists/${name}/`);
    };
    const named = async (path: string) => {
      const { detail } = assertProblem(await at(path), 404, 'unknown-path');
      const [, paths = ''] = /; the lists of LISTS are (.*)$/.exec(detail) ?? [];
      return paths === '' ? [] : paths.split(', ').map((each) => each.slice(BASE_PATH.length + 1));
    };
    const assertLinked = async (...hrefs: readonly string[]) => {
      for (const path of ['/lists', '/lists/']) assert.deepEqual(await named(path), hrefs);
      assert.deepEqual([await linked('/'), await inPage('/')], [hrefs, hrefs]);
      for (const href of hrefs) {
        assert.equal((await at(`/${href}`)).status, 200);
        assert.deepEqual([await linked(`/${href}`), await inPage(`/${href}`)], [[], []]);
      }
    };
    await change('PUT', 'clara');
    await assertLinked('lists/ben/', 'lists/anna/');
    const { etag } = (await at('/')).headers;
    await change('DELETE', 'ben');
    await assertLinked('lists/anna/');
    assert.notEqual((await at('/')).headers.etag, etag);
    await change('PUT', 'ben');
    await assertLinked('lists/ben/', 'lists/anna/');
    await change('DELETE', 'ben');
    await change('DELETE', 'anna');
    await assertLinked();
    const hinted = assertProblem(await at('/lists/'), 404, 'unknown-path').detail;
    assert(hinted.endsWith(`; ${BASE_PATH}/admin/lists has all lists`), hinted);
  });
}

describe('lastRequestAt', () => {
  const startAt = async (test: TestContext, env: Readonly<Record<string, string>> = {}) => {
    const manualClock = new ManualClock(test);
    const service = await start(test, env);
    const { admin } = service;
    const basePath = env.BASE_PATH ?? '';
    const last = async () => {
      const lists = (await admin('GET', `${basePath}/admin/lists`)).json<Listed[]>();
      return Object.fromEntries(lists.map(({ name, lastRequestAt }) => [name, lastRequestAt]));
    };
    const advance = (ms: number) => {
      manualClock.skip(ms);
      return new Date(clock.time()).toISOString();
    };
    return { ...service, last, advance };
  };

  interface Listed {
    readonly name: string;
    readonly lastRequestAt: string | null;
  }

  it('is the time of the last request that was no admin request, also after a reset', async (test) => {
    const { admin, client, last, advance } = await startAt(test, { BASE_PATH: '/todo' });
    const made = await admin('PUT', '/todo/admin/lists/anna');
    assert.deepEqual(Object.keys(made.json()), ['name', 'path', 'items', 'bytes']);
    await admin('PUT', '/todo/admin/lists/ben');
    await admin('GET', '/todo/lists/anna/admin/requests');
    await client.get(`/todo${LIST}`);
    assert.deepEqual(await last(), { anna: null, ben: null });
    for (const [method, path] of [
      ['GET', LIST],
      ['POST', `${LIST}/1`],
      ['OPTIONS', '/none'],
    ] as const) {
      const time = advance(1_000);
      await client.request(method, `/todo/lists/anna${path}`);
      advance(1_000);
      await admin('POST', '/todo/lists/anna/admin/reset');
      await admin('PUT', '/todo/admin/lists/anna');
      assert.deepEqual(await last(), { anna: time, ben: null });
    }
    await admin('DELETE', '/todo/admin/lists/anna');
    await admin('PUT', '/todo/admin/lists/anna');
    assert.deepEqual(await last(), { anna: null, ben: null });
  });

  it('stays the same until the next request', async (test) => {
    const { client, put, last, advance } = await startAt(test);
    await put('anna');
    const time = advance(1_000.3);
    await client.get(`/lists/anna${LIST}`);
    for (let i = 0; i < 10; i++) {
      advance(0.3);
      assert.deepEqual(await last(), { anna: time });
    }
  });

  it('counts a request by header for its list', async (test) => {
    const { client, put, last, advance } = await startAt(test, { LISTS_BY_HEADER: 'on' });
    for (const name of ['anna', 'ben']) await put(name);
    const time = advance(1_000);
    await client.get(LIST, { baggage: 'todo-list=ben' });
    advance(1_000);
    await client.get('/livez', { baggage: 'todo-list=anna' });
    assert.deepEqual(await last(), { anna: null, ben: time });
  });

  it('is now while an event stream is open, and then the time of its end', async (test) => {
    const { admin, baseUrl, put, last, advance } = await startAt(test);
    await put('anna');
    const opened = advance(0);
    const events = await EventClient.open(baseUrl, undefined, `/lists/anna${LIST}/events`);
    assert.equal((await last()).anna, opened);
    const ended = advance(60_000);
    assert.equal((await last()).anna, ended);
    await admin('DELETE', '/lists/anna/admin/streams');
    await events.ended();
    advance(60_000);
    assert.equal((await last()).anna, ended);
  });
});

describe('the memory of lists', () => {
  it('is shared: each reserves a 101st, and the list at the base has the rest', async (test) => {
    const maxBytes = 20_000_000;
    const { admin, client, put } = await start(test, { MAX_BYTES: String(maxBytes) });
    assert.equal((await admin('POST', '/admin/reset', [])).status, 204);
    const large = Array.from({ length: 300 }, () => ({ description: 'X'.repeat(900), title: 'x' }));
    const { detail } = assertProblem(await put('large', large), 507, 'store-full');
    const share = `${Math.floor(maxBytes / 101 / 2)} bytes of items (its share of MAX_BYTES)`;
    assert.equal(detail, `The list holds at most ${share}; send fewer or shorter ones`);
    for (let i = 0; i < 99; i++) assert.equal((await put(`list-${i}`, [])).status, 201);
    assertProblem(await admin('POST', '/admin/reset', large), 507, 'store-full');
    // Two shares are left for the base, and it takes more than one of them.
    assert.equal((await admin('POST', '/admin/reset', large.slice(0, 100))).status, 204);
    const refused = assertProblem(await put('last', []), 507, 'store-full');
    assert.match(refused.detail, /do not leave a 101st of MAX_BYTES \(198019 bytes\)/);
    assert.equal((await admin('POST', '/admin/reset', large.slice(0, 30))).status, 204);
    assert.equal((await put('last', [])).status, 201);
    assert.equal((await client.post(LIST, { title: 'x' })).status, 201);
    for (let i = 7; i < 20; i++) await admin('DELETE', `/admin/lists/list-${i}`);
    assert.equal((await admin('POST', '/admin/reset', large)).status, 204);
  });

  it('is for at most 100 lists', async (test) => {
    const { put } = await start(test);
    for (let i = 0; i < 100; i++) assert.equal((await put(`list-${i}`, [])).status, 201);
    const { detail } = assertProblem(await put('other', []), 507, 'store-full');
    assert.match(detail, /100 lists/);
    assert.equal((await put('list-7', [])).status, 200);
  });

  it('limits event streams of all lists together', async (test) => {
    const { client, put, baseUrl } = await start(test, { MAX_EVENT_STREAMS: '2' });
    await put('anna');
    const open = [
      await EventClient.open(baseUrl),
      await EventClient.open(baseUrl, undefined, `/lists/anna${LIST}/events`),
    ];
    const refused = await client.get(`${LIST}/events`);
    assertProblem(refused, 503, 'overloaded');
    assert.match(String(refused.headers['retry-after']), /^\d+$/);
    assertProblem(await client.get(`/lists/anna${LIST}/events`), 503, 'overloaded');
    for (const each of open) each.close();
  });
});

it('a program has a list of its own, with the members of the service', async (test) => {
  const service = await startTodoService({ seed: [{ title: 'seed' }] });
  test.after(() => service.stop());
  const list = await service.list('anna', [{ title: 'own' }]);
  assert.equal(list.url, `${service.url}/lists/anna`);
  const titles = async (url: string) =>
    ((await (await fetch(`${url}${LIST}`)).json()) as Todo[]).map(({ title }) => title);
  assert.deepEqual([await titles(service.url), await titles(list.url)], [['seed'], ['own']]);
  await assert.rejects(service.list('anna'), { name: 'InvalidInputError' });
  await assert.rejects(service.list('a b'), { name: 'InvalidInputError' });
  await list.reset();
  assert.deepEqual(await titles(list.url), ['seed']);
  await list.faults([{ status: 503, headers: { 'X-A': 'a' } }]);
  const [fault] = await list.faults();
  assert(fault?.headers);
  Object.assign(fault.headers, { 'X-A': 'a\r\nb' });
  assert.deepEqual(await list.faults(), [{ status: 503, headers: { 'X-A': 'a' }, hits: 0 }]);
  assert.equal((await fetch(`${list.url}${LIST}`)).status, 503);
  assert.equal((await list.requests({ requestHeaders: { 'Sec-Fetch-Mode': 'cors' } })).length, 2);
  assert.equal((await list.requests({ requestHeaders: { 'Sec-Fetch-Mode': 'no' } })).length, 0);
  await list.stop();
  await list.stop();
  await assert.rejects(list.reset(), /^Error: the list has been removed$/);
  assert.equal((await fetch(`${list.url}${LIST}`)).status, 404);
  await (await service.list('anna')).stop();
});

it('the journal finds requests by header fields, each of which must match', async (test) => {
  const { admin, client, requests } = await start(test);
  for (const [test, mode] of [
    ['one', 'a'],
    ['one', 'b'],
    ['two', 'b'],
  ] as const) {
    await client.request('GET', LIST, { headers: { 'x-test': test, 'x-mode': mode } });
  }
  const found = async (...fields: string[]) => {
    const query = fields.map((field) => `header=${encodeURIComponent(field)}`).join('&');
    return (await requests(`?${query}`)).length;
  };
  assert.deepEqual(
    [await found('X-Test: one'), await found('X-Test: one', 'x-mode:b'), await found('X-Test: o')],
    [2, 1, 0],
  );
  for (const query of ['header=X-Test', 'header=a:1&header=A:2', 'header=']) {
    assertProblem(await admin('GET', `/admin/requests?${query}`), 400, 'invalid-parameter');
  }
});

it('a response is held back after its request was carried out', async (test) => {
  const { admin, client, connect, setFaults, requests } = await start(test);
  await setFaults({ method: 'GET', responseDelayMs: 3_600_000 });
  const reader = (await connect()).send(getRequest(LIST));
  await turnsUntil('it has arrived', async () => (await requests()).length === 1);
  await client.post(LIST, { title: 'later' });
  await setFaults();
  const titles = JSON.parse((await reader.next())?.text ?? '').map(({ title }: Todo) => title);
  assert.deepEqual(titles, ['first', 'second', 'third']);
  for (const other of [{ status: 503 }, { abort: 'before' }, { abort: 'reset' }]) {
    const faults = [{ responseDelayMs: 1, ...other }];
    const answer = await admin('PUT', '/admin/faults', { faults });
    assert.deepEqual(violationsIn(answer), ['#/faults/0/responseDelayMs value']);
  }
});
