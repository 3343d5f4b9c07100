import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { LogFields } from '../../src/lib/log.ts';
import { App } from '../../src/service/app.ts';
import { variantB as variant } from '../../src/service/todo/variant-b.ts';
import { AUTHORIZED, startAdmin } from '../support/admin.ts';
import { assertProblem } from '../support/assertions.ts';
import { EventClient } from '../support/events.ts';
import { EVENTS, itemPath, LIST } from '../support/paths.ts';
import { rawClientFor } from '../support/raw.ts';
import type { Todo } from '../support/requests.ts';
import { configOf } from '../support/service.ts';
import { turnsUntil } from '../support/within.ts';

interface Document {
  readonly paths: Readonly<
    Record<string, { get?: { parameters?: readonly { readonly $ref?: string }[] } }>
  >;
  readonly components: {
    readonly parameters: Readonly<Record<string, { name: string; in: string }>>;
  };
}

const ON = { LISTS_BY_HEADER: 'on' };
const ANNA = { baggage: 'todo-list=anna' };

/** Starts a service whose list `anna` has one item. */
async function start(test: TestContext, env: Readonly<Record<string, string>> = ON) {
  const lines: LogFields[] = [];
  const service = await startAdmin(test, variant, {
    env,
    log: (_level, message, line) => {
      if (message === 'request' && line) lines.push(line);
    },
  });
  const { BASE_PATH = '' } = env;
  const made = await service.admin('PUT', `${BASE_PATH}/admin/lists/anna`, [{ title: 'hers' }]);
  assert.equal(made.status, 201);
  /** Sends a request with the token and a field `baggage`. */
  const ask = (method: string, path: string, baggage: string, value?: unknown) =>
    service.admin(method, BASE_PATH + path, value, { baggage });
  const titles = async (path: string, headers = {}) =>
    (await service.client.get(BASE_PATH + path, headers)).json<Todo[]>().map(({ title }) => title);
  return { ...service, ask, titles, lines };
}

const SEEDED = ['first', 'second', 'third'];

for (const BASE_PATH of ['', '/todo']) {
  it(`a request is served by the list of its field, and paths are as sent: base path "${BASE_PATH}"`, async (test) => {
    const { ask, titles } = await start(test, { ...ON, BASE_PATH });
    const { status, headers } = await ask('POST', LIST, ANNA.baggage, { title: 'new' });
    assert.deepEqual([status, headers.location], [201, BASE_PATH + itemPath(2)]);
    assert.deepEqual(await titles(`/lists/anna${LIST}`), ['hers', 'new']);
    assert.deepEqual(await titles(LIST, ANNA), ['hers', 'new']);
    assert.deepEqual(await titles(LIST), SEEDED);
    const page = await ask('GET', `${LIST}?limit=1`, ANNA.baggage);
    assert.match(String(page.headers.link), /^<\?limit=1&offset=0>; rel="first"/);
    assert.equal(page.headers['x-total-count'], '2');
    const missing = assertProblem(await ask('GET', itemPath(9), ANNA.baggage), 404, 'not-found');
    assert.equal(missing.instance, BASE_PATH + itemPath(9));
  });
}

it('faults, journal, resets and events are those of the list', async (test) => {
  const { baseUrl, client, ask, titles, setFaults, requests } = await start(test);
  const faults = { faults: [{ path: LIST, status: 503, times: 1 }] };
  assert.equal((await ask('PUT', '/admin/faults', ANNA.baggage, faults)).status, 200);
  assert.deepEqual(await titles(LIST), SEEDED);
  const lastRequestAt = async () =>
    (await ask('GET', '/admin/lists', '')).json<{ lastRequestAt: string | null }[]>()[0]
      ?.lastRequestAt;
  assert.equal(await lastRequestAt(), null);
  assert.equal((await client.get(LIST, ANNA)).status, 503);
  assert.notEqual(await lastRequestAt(), null);
  await setFaults();
  const ofAnna = await ask('GET', `/admin/requests?path=${LIST}`, ANNA.baggage);
  assert.equal(ofAnna.json<{ requests: [] }>().requests.length, 1);
  assert.equal((await requests(`?path=${LIST}`)).length, 1);

  const ofBase = await EventClient.open(baseUrl);
  const stream = await EventClient.open(baseUrl, undefined, EVENTS, ANNA);
  await ask('POST', LIST, ANNA.baggage, { title: 'new' });
  const before = await stream.take(2);
  assert.equal((await ask('POST', '/admin/reset', ANNA.baggage, [])).status, 204);
  const after = await stream.take(1);
  assert.deepEqual(
    [...before, ...after].map(({ event }) => event),
    ['ready', 'put', 'reset'],
  );
  assert.equal((await ask('DELETE', '/admin/streams', ANNA.baggage)).status, 204);
  await stream.ended();
  assert.deepEqual([ofBase.hasEnded, ofBase.events.length], [false, 1]);
  assert.deepEqual([await titles(LIST, ANNA), await titles(LIST)], [[], SEEDED]);
});

for (const [field, expected] of [
  ['userId=1, todo-list = anna;ttl=1 ; x', ['hers']],
  ['todo-list=anna,,todo-list=anna,', ['hers']],
  ['x=todo-list', SEEDED],
  ['my-todo-list=anna', SEEDED],
  ['Todo-List=anna', SEEDED],
  ['x=1;todo-list=anna', SEEDED],
  ['no members at all', SEEDED],
  ['', SEEDED],
] as const) {
  it(`baggage: ${field}`, async (test) => {
    const { titles } = await start(test);
    assert.deepEqual(await titles(LIST, { baggage: field }), expected);
  });
}

it('several fields are one', async (test) => {
  const { port } = await start(test);
  const client = await rawClientFor(test, port);
  const fields = 'Host: localhost\r\nbaggage: a=b\r\nBaggage: todo-list=anna\r\n';
  const answer = await client.send(`GET ${LIST} HTTP/1.1\r\n${fields}\r\n`).next();
  assert.match(answer?.text ?? '', /^\[\{"id":1,"title":"hers"/);
});

it('a request for a list that does not exist, or for no clear one, never reaches the base', async (test) => {
  const { ask, titles } = await start(test);
  for (const [field, status, code] of [
    ['todo-list=ben', 404, 'unknown-path'],
    ['todo-list=', 400, 'invalid-name'],
    ['todo-list=..', 400, 'invalid-name'],
    ['todo-list=ann%61', 400, 'invalid-name'],
    ['todo-list=anna,todo-list=ben', 400, 'invalid-name'],
    ['todo-list', 400, 'malformed-request'],
    ['todo-list="anna"', 400, 'malformed-request'],
    ['todo-list=anna ben', 400, 'malformed-request'],
    ['a=b todo-list=anna', 400, 'malformed-request'],
    ['a,todo-list=anna', 400, 'malformed-request'],
    ['todo-list=anna;=', 400, 'malformed-request'],
  ] as const) {
    for (const [method, path] of [
      ['POST', '/admin/reset'],
      ['DELETE', `${LIST}?id.gte=1`],
      ['GET', LIST],
      ['GET', '/'],
      ['GET', '/none'],
    ] as const) {
      assertProblem(await ask(method, path, field), status, code);
    }
  }
  const { detail } = assertProblem(await ask('GET', LIST, 'todo-list=ben'), 404, 'unknown-path');
  assert.match(detail, /; there is no list ben \(PUT \/admin\/lists\/ben makes it\)$/);
  assert.deepEqual(await titles(LIST), SEEDED);
});

it('the field is not looked at with a prefix in the path, nor for the process', async (test) => {
  const { client, ask, titles } = await start(test);
  for (const field of ['todo-list=none', 'todo-list=..', ANNA.baggage]) {
    assert.deepEqual(await titles(`/lists/anna${LIST}`, { baggage: field }), ['hers']);
    for (const path of ['/livez', '/readyz', '/metrics', '/admin/lists']) {
      assert.equal((await ask('GET', path, field)).status, 200, path);
    }
    assert.equal((await ask('PUT', '/admin/lists/ben', field, [])).status, 201);
    assert.equal((await ask('DELETE', '/admin/lists/ben', field)).status, 204);
  }
  const below = await client.get(`/lists/none${LIST}`, ANNA);
  assert.match(assertProblem(below, 404, 'unknown-path').detail, /no list none/);
});

it('is off by default', async (test) => {
  const { client, titles } = await start(test, {});
  assert.deepEqual(await titles(LIST, ANNA), SEEDED);
  assert.deepEqual(await titles(LIST, { baggage: 'todo-list=..' }), SEEDED);
  assert.equal((await client.get(LIST)).headers.vary, 'Origin');
});

it('Vary has Baggage', async (test) => {
  for (const [CORS_ORIGINS, expected] of [
    ['localhost', 'Origin, Baggage'],
    ['none', 'Baggage'],
  ] as const) {
    const { client } = await start(test, { ...ON, CORS_ORIGINS });
    for (const path of [LIST, '/none']) {
      assert.equal((await client.get(path, ANNA)).headers.vary, expected);
    }
  }
});

it('a preflight gets the methods that the path has in a list, so that the page can read the 404', async (test) => {
  const { client } = await start(test);
  for (const [path, methods] of [
    [itemPath(1), 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS'],
    [LIST, 'GET, HEAD, POST, PATCH, DELETE, OPTIONS'],
  ]) {
    for (const [prefix, headers] of [
      ['', ANNA],
      ['', { baggage: 'todo-list=none' }],
      ['/lists/none', {}],
    ] as const) {
      const answer = await client.request('OPTIONS', prefix + path, {
        headers: {
          ...headers,
          origin: 'http://localhost:1',
          'access-control-request-method': 'PUT',
          'access-control-request-headers': 'baggage',
        },
      });
      assert.equal(answer.status, 204);
      assert.equal(answer.headers['access-control-allow-methods'], methods, prefix + path);
      assert.equal(answer.headers['access-control-allow-headers'], 'baggage');
    }
  }
});

it('the access log has the name of the list, however it was chosen', async (test) => {
  const { client, lines } = await start(test, { ...ON, ACCESS_LOG: 'on' });
  lines.length = 0;
  for (const [path, headers] of [
    [LIST, ANNA],
    [`/lists/anna${LIST}`, {}],
    [`/lists/anna/admin/faults`, AUTHORIZED],
    [LIST, {}],
    [LIST, { baggage: 'todo-list=none' }],
    [`/lists/none${LIST}`, ANNA],
  ] as const) {
    await client.get(path, headers);
  }
  await turnsUntil('all are logged', () => lines.length === 6);
  assert.deepEqual(
    lines.map(({ list }) => list),
    ['anna', 'anna', 'anna', undefined, undefined, undefined],
  );
});

describe('with LISTS_BY_HEADER=required', () => {
  const REQUIRED = { LISTS_BY_HEADER: 'required' };

  for (const BASE_PATH of ['', '/todo']) {
    it(`a request for items or events has to name its list: base path "${BASE_PATH}"`, async (test) => {
      const { client, ask, titles } = await start(test, { ...REQUIRED, BASE_PATH });
      for (const [method, path, value] of [
        ['GET', LIST],
        ['GET', itemPath(1)],
        ['GET', EVENTS],
        ['POST', LIST, { title: 'x' }],
        ['POST', `${LIST}/batch`, [{ title: 'x' }]],
        ['PUT', itemPath(1), { title: 'x' }],
        ['DELETE', `${LIST}?id.gte=1`],
      ] as const) {
        const answer = await ask(method, path, 'sentry-release=1', value);
        const { detail } = assertProblem(answer, 404, 'list-required');
        const [local] = path.split('?');
        assert.match(detail, /^The request must name its list: with the field baggage: todo-list=/);
        assert(detail.endsWith(`NAME, or the path ${BASE_PATH}/lists/NAME${local}`), detail);
      }
      assert.equal((await client.request('HEAD', BASE_PATH + LIST)).status, 404);
      assert.deepEqual(await titles(LIST, ANNA), ['hers']);
      assert.deepEqual(await titles(`/lists/anna${LIST}`), ['hers']);
      for (const path of ['/', '/openapi.json', '/livez', '/readyz', '/metrics']) {
        assert.equal((await client.get(BASE_PATH + path)).status, 200, path);
      }
      assert.equal((await ask('GET', '/admin/lists', '')).status, 200);
    });
  }

  it('the problem names a key in other letters', async (test) => {
    const { ask } = await start(test, REQUIRED);
    const answer = await ask('GET', LIST, 'Todo-List=anna');
    const { detail } = assertProblem(answer, 404, 'list-required');
    assert.match(detail, /; the key is todo-list, not Todo-List$/);
  });

  it('faults of the base come before the problem, and its journal has it', async (test) => {
    const { client, setFaults, requests } = await start(test, REQUIRED);
    await setFaults({ path: LIST, status: 503, times: 1 });
    assert.equal((await client.get(LIST)).status, 503);
    assert.equal((await client.get(LIST)).status, 404);
    assert.deepEqual(
      (await requests()).map(({ status }) => status),
      [503, 404],
    );
  });

  it('needs a token or LISTS, outside of a process of a test', () => {
    const config = configOf(REQUIRED);
    assert.throws(() => new App(variant, { config }), {
      name: 'ConfigError',
      message: /^LISTS_BY_HEADER needs lists with names; set LISTS, or ADMIN_TOKEN/,
    });
    new App(variant, { config: configOf({ ...REQUIRED, LISTS: 'anna' }) });
    new App(variant, { config, isInProcess: true });
  });
});

it('the document has the field, for each list that it can choose', async (test) => {
  const document = async (env: Readonly<Record<string, string>>) => {
    const { client } = await start(test, env);
    const { paths, components } = (await client.get('/openapi.json')).json<Document>();
    const withField = Object.entries(paths)
      .filter(([, { get }]) => get?.parameters?.some(({ $ref }) => /\/baggage$/.test($ref ?? '')))
      .map(([path]) => path);
    return { withField, parameter: components.parameters.baggage };
  };
  assert.deepEqual(await document({}), { withField: [], parameter: undefined });
  for (const LISTS_BY_HEADER of ['on', 'required']) {
    const { withField, parameter } = await document({ LISTS_BY_HEADER });
    for (const path of [LIST, `${LIST}/{id}`, EVENTS]) assert(withField.includes(path), path);
    assert(!withField.includes('/metrics') && !withField.includes('/admin/lists'));
    assert.deepEqual([parameter?.name, parameter?.in], ['baggage', 'header']);
  }
});
