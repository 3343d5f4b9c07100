import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { clock } from '../../src/lib/clock.ts';
import { type Fault, startTodoService } from '../../src/package/index.ts';
import type { Definition } from '../../src/service/resource/definition.ts';
import { variantA } from '../../src/service/todo/variant-a.ts';
import { variantB } from '../../src/service/todo/variant-b.ts';
import { AUTHORIZED, SEED, startAdmin, TOKEN } from '../support/admin.ts';
import { clientFor } from '../support/client.ts';
import { EventClient } from '../support/events.ts';
import { EVENTS, ITEM, itemPath, LIST } from '../support/paths.ts';
import type { Todo } from '../support/requests.ts';
import { VARIANTS } from '../support/service.ts';
import { turnsUntil } from '../support/within.ts';
import { assertProblem } from './suite.ts';

/** Each variant, both ways to set faults, and both places of a list, with and without a base path. */
const SITUATIONS = [
  { variant: variantA, way: 'over HTTP', basePath: '', name: undefined },
  { variant: variantB, way: 'over HTTP', basePath: '/base', name: 'anna' },
  { variant: variantA, way: 'in process', basePath: '/base', name: undefined },
  { variant: variantB, way: 'in process', basePath: '', name: 'ben' },
] as const;

interface Situation {
  readonly variant: Definition;
  readonly way: 'over HTTP' | 'in process';
  readonly basePath: string;
  readonly name: string | undefined;
}

/** A list with three items, and how to set its faults. */
async function start(test: TestContext, { variant, way, basePath, name }: Situation) {
  const env = { ADMIN_TOKEN: TOKEN, BASE_PATH: basePath };
  const service = await startTodoService({ variant: variant.name, seed: SEED, env });
  test.after(() => service.stop());
  const list = name === undefined ? service : await service.list(name);
  const prefix = name === undefined ? basePath : `${basePath}/lists/${name}`;
  const client = clientFor(test, new URL(service.url).origin);
  const isOverHttp = way === 'over HTTP';
  /** Sets the faults. @returns the response, or its equivalent in process */
  const put = (faults: readonly object[]) =>
    client.request('PUT', `${prefix}/admin/faults`, {
      headers: { ...AUTHORIZED, 'content-type': 'application/json' },
      body: JSON.stringify({ faults }),
    });
  const setFaults = async (...faults: readonly Fault[]) => {
    if (isOverHttp) assert.equal((await put(faults)).status, 200);
    else await list.faults(faults);
  };
  /** The violations of a fault, their pointers relative to it. */
  const violations = async (fault: object) => {
    const errors = isOverHttp
      ? assertProblem(await put([fault]), 400, 'validation-failed').errors
      : await list.faults([fault]).then(
          () => [],
          (error) => error.violations,
        );
    return (errors ?? []).map(({ pointer, detail }: { pointer: string; detail: string }) => {
      assert(pointer.startsWith(isOverHttp ? '#/faults/0/' : '#/0/'), pointer);
      return `${pointer.replace(/^#\/(faults\/)?0\//, '')} ${detail}`;
    });
  };
  const hits = async () => (await list.faults()).map((fault) => fault.hits);
  return { list, client, at: (path: string) => prefix + path, setFaults, violations, hits };
}

assert.deepEqual(new Set(SITUATIONS.map(({ variant }) => variant)), new Set(VARIANTS));

for (const situation of SITUATIONS) {
  const { variant, way, basePath, name } = situation;
  const place = `${basePath}${name === undefined ? '' : `/lists/${name}`}`;
  describe(`${way}, variant ${variant.name}, at "${place}"`, () => {
    for (const member of ['delayMs', 'responseDelayMs'] as const) {
      const most = `${member.slice(0, -2)}MaxMs` as 'delayMaxMs' | 'responseDelayMaxMs';

      it(`each hit draws a delay evenly from ${member} to ${most}`, async (test) => {
        const { client, at, setFaults, hits } = await start(test, situation);
        const [min, max] = [3_000_000, 3_600_000];
        const delays: number[] = [];
        const { setTimeout } = clock;
        test.mock.method(clock, 'setTimeout', (callback: () => void, ms: number) => {
          if (ms < min / 2) return setTimeout(callback, ms);
          delays.push(ms);
          return setTimeout(callback, 0);
        });
        await setFaults({ [member]: min, [most]: max });
        for (let i = 0; i < 60; i++) assert.equal((await client.get(at(LIST))).status, 200);
        assert.deepEqual(await hits(), [60]);
        assert.equal(delays.length, 60);
        const quarters = delays.map((ms) => Math.floor((4 * (ms - min)) / (max - min)));
        // By chance, one of the four is missing in one of seven million runs.
        assert.deepEqual([...new Set(quarters)].sort(), [0, 1, 2, 3]);
      });

      it(`${most} needs ${member}, and is not less`, async (test) => {
        const { setFaults, violations } = await start(test, situation);
        for (const [fault, ...expected] of [
          [{ [most]: 5, abort: 'truncate' }, `${most} must come with ${member}`],
          [{ [member]: 6, [most]: 5 }, `${most} must be at least ${member}, 6`],
          [
            { [member]: 1, [most]: 3_600_001 },
            `${most} must be a number from 0 to 3600000, not 3600001`,
          ],
          [
            { [member]: [1, 5] },
            `${member} must be a number from 0 to 3600000, not an array; for a range, add ${most}`,
          ],
        ] as const) {
          assert.deepEqual(await violations(fault), expected);
        }
        await setFaults({ [member]: 5, [most]: 5 }, { [member]: 0, [most]: 3_600_000 });
      });
    }

    it('a fault matches requests with all parameters of its query, after decoding', async (test) => {
      const { client, at, setFaults, hits } = await start(test, situation);
      await setFaults({ query: { search: 'a é&+', offset: '2' }, status: 503 });
      const statusOf = async (query: string) => (await client.get(at(LIST + query))).status;
      for (const [query, status] of [
        ['?search=a+%C3%A9%26%2B&offset=2', 503],
        ['?offset=2&_=x&%73earch=a%20%c3%a9%26%2b', 503],
        // Also if the request would be refused, and if one of several values fits.
        ['?search=x&search=a+%C3%A9%26%2B&offset=1&offset=2', 503],
        ['?search=a+%C3%A9%26%2B', 200],
        ['?search=a+%C3%A9%26&offset=2', 200],
        ['?search=A+%C3%A9%26%2B&offset=2', 200],
        ['?Search=a+%C3%A9%26%2B&offset=2', 400],
        ['?search=a+%C3%A9%26%2B&offset=2&x=%', 400],
        ['', 200],
      ] as const) {
        assert.equal(await statusOf(query), status, query);
      }
      assert.deepEqual(await hits(), [3]);
      await setFaults({ query: {}, status: 503 });
      assert.equal(await statusOf(''), 503);
      await setFaults({ query: { search: '' }, status: 503 });
      assert.deepEqual([await statusOf('?search'), await statusOf('?search=+')], [503, 200]);
    });

    it('a query matches a request that was refused for its header section', async (test) => {
      const { client, at, setFaults } = await start(test, situation);
      await setFaults({ query: { page: '2' }, status: 503 });
      const headers = { 'if-match': 'x' };
      for (const [query, status] of [
        ['?page=2', 503],
        ['?page=1', 400],
        ['?page=2&x=%', 400],
      ] as const) {
        const answer = await client.get(at(LIST + query), headers);
        assert.equal(answer.status, status, query);
      }
    });

    it('a query is an object of strings', async (test) => {
      const { violations, list, setFaults } = await start(test, situation);
      for (const [query, ...expected] of [
        [
          'page=2',
          'query must be an object of parameters, such as {"search": "milk"}, not "page=2"',
        ],
        [
          { page: 2, 'a/b': null, ok: '' },
          'query/page must be a string of well-formed Unicode, not 2',
          'query/a~1b must be a string of well-formed Unicode, not null',
        ],
      ] as const) {
        assert.deepEqual(await violations({ status: 503, query }), expected);
      }
      const misnamed = await violations({ status: 503, params: { search: 'x' } });
      assert.deepEqual(misnamed, ['params is unknown; did you mean query?']);
      await setFaults({ status: 503, query: { 'priority.gte': '4' } });
      assert.deepEqual(await list.faults(), [
        { query: { 'priority.gte': '4' }, status: 503, hits: 0 },
      ]);
    });

    it('an edit comes between GET and PUT, so that If-Match fails in every run', async (test) => {
      const { list, client, at, setFaults, hits } = await start(test, situation);
      const events = await EventClient.open(new URL(list.url).origin, undefined, at(EVENTS));
      await setFaults({ method: 'PUT', route: ITEM, times: 1, edit: { title: 'theirs' } });
      const url = at(itemPath(1));
      const before = await client.get(url);
      assert.equal(before.json<Todo>().title, 'first');
      const put = (tag: unknown) =>
        client.put(url, { completed: true }, { 'if-match': String(tag) });
      assertProblem(await put(before.headers.etag), 412, 'precondition-failed');
      const edited = await client.get(url);
      assert.deepEqual(edited.json(), { ...before.json<Todo>(), title: 'theirs' });
      const done = await put(edited.headers.etag);
      assert.deepEqual(
        [done.status, done.json()],
        [200, { ...edited.json<Todo>(), completed: true }],
      );
      assert.deepEqual(await hits(), [1]);
      const [, ...puts] = await events.take(3);
      assert.deepEqual(
        puts.map(({ event, data }) => [event, JSON.parse(data)]),
        [
          ['put', edited.json()],
          ['put', done.json()],
        ],
      );
      events.close();
      const route = ITEM;
      const methods = (await list.requests({ route })).map(({ method }) => method);
      assert.deepEqual(methods, ['GET', 'PUT', 'GET', 'PUT']);
    });
  });
}

const [HTTP_A, HTTP_B, IN_PROCESS] = SITUATIONS;

describe('an edit', () => {
  it('is a commit of its own, before the rules and the condition of the request', async (test) => {
    const { client, at, setFaults } = await start(test, HTTP_B);
    const url = at(itemPath(2));
    const title = async () => (await client.get(url)).json<Todo>().title;
    for (const [method, content, status, expected] of [
      ['PUT', { priority: 4 }, 200, 'theirs'],
      ['PUT', { title: 'mine' }, 200, 'mine'],
      ['PATCH', { title: 'mine' }, 200, 'mine'],
      ['PATCH', { title: '' }, 400, 'theirs'],
      ['DELETE', undefined, 204, 'Not found'],
    ] as const) {
      await setFaults();
      await client.put(url, { title: 'old' });
      await setFaults({ method, route: ITEM, edit: { title: 'theirs', description: null } });
      const headers = { 'content-type': 'application/json' };
      const body = content && JSON.stringify(content);
      const answer = await client.request(method, url, { headers, ...(body && { body }) });
      assert.equal(answer.status, status, answer.text);
      await setFaults();
      assert.equal(await title(), expected);
    }
  });

  it('fails the condition of a PATCH and of a DELETE', async (test) => {
    const { client, at, setFaults } = await start(test, HTTP_A);
    for (const [id, method] of [
      [1, 'PATCH'],
      [2, 'DELETE'],
    ] as const) {
      const url = at(itemPath(id));
      const { etag } = (await client.get(url)).headers;
      await setFaults({ method, route: ITEM, edit: { completed: true, title: 'x' } });
      const headers = { 'if-match': String(etag), 'content-type': 'application/json' };
      const body = method === 'PATCH' ? '{"title":"y"}' : '';
      const answer = await client.request(method, url, { headers, body });
      assertProblem(answer, 412, 'precondition-failed');
      assert.equal((await client.get(url)).json<Todo>().title, 'x');
    }
  });

  it('is not made for a request that is refused whatever the item is; it is still a hit', async (test) => {
    const { client, at, setFaults, hits } = await start(test, HTTP_A);
    const edit = { title: 'theirs' };
    await setFaults({ method: 'PUT', route: ITEM, edit }, { method: 'DELETE', route: ITEM, edit });
    const json = { 'content-type': 'application/json' };
    const path = itemPath(1);
    for (const [method, target, headers, body, status] of [
      ['PUT', path, { 'content-type': 'text/plain' }, '{}', 415],
      ['PUT', path, json, '{', 400],
      ['PUT', path, json, '[]', 400],
      ['PUT', path, json, '', 400],
      ['PUT', path, json, `{"title":"${'x'.repeat(70_000)}"}`, 413],
      ['PUT', path, { ...json, accept: 'text/html' }, '{}', 406],
      ['PUT', path, { ...json, 'if-match': 'x' }, '{}', 400],
      ['PUT', `${path}?dryRun=true`, json, '{}', 400],
      ['DELETE', `${path}?dryRun=true`, {}, '', 400],
      ['DELETE', path, { 'if-match': 'x' }, '', 400],
      ['DELETE', itemPath('1x'), {}, '', 400],
    ] as const) {
      const answer = await client.request(method, at(target), { headers, body });
      assert.equal(answer.status, status, answer.text);
    }
    assert.deepEqual(await hits(), [8, 3]);
    assert.equal((await client.get(at(path))).json<Todo>().title, 'first');
  });

  it('has no effect if it changes nothing, its item is missing or the store is full', async (test) => {
    const seed = [{ id: 1, title: 'first' }];
    const table = { maxBytes: 3_000 };
    const service = await startAdmin(test, variantA, { seed, table });
    const { client, setFaults, faults } = service;
    const put = async (edit: object, id: number) => {
      const { etag } = (await client.get(itemPath(1))).headers;
      await setFaults({ method: 'PUT', route: ITEM, edit });
      const headers = id === 1 ? { 'if-match': String(etag) } : {};
      const { status } = await client.put(itemPath(id), { completed: true }, headers);
      return [status, (await faults())[0]?.hits];
    };
    assert.deepEqual(await put({ title: 'first' }, 1), [200, 1]);
    assert.deepEqual(await put({}, 1), [200, 1]);
    assert.deepEqual(await put({ title: 'x' }, 7), [404, 1]);
    assert.deepEqual(await put({ description: '𝄞'.repeat(1000) }, 1), [200, 1]);
    assert.equal((await client.get(itemPath(1))).json<Todo>().description, '');
  });

  it('is made after its delay, but not if that has been ended', async (test) => {
    const { client, setFaults, connect, requests } = await startAdmin(test, variantA);
    const fault = { method: 'DELETE', route: ITEM, edit: { title: 'theirs' } };
    const titleAfter = async (delayMs: number, end: () => Promise<unknown>) => {
      await setFaults({ ...fault, delayMs });
      const remove = `DELETE ${itemPath(1)} HTTP/1.1\r\nHost: localhost\r\nIf-Match: "x"\r\n\r\n`;
      const waiting = (await connect()).send(remove);
      await turnsUntil('it has arrived', async () => {
        return (await requests('?method=DELETE')).length > 0;
      });
      await end();
      assert.equal((await waiting.next())?.status, 412);
      return (await client.get(itemPath(1))).json<Todo>().title;
    };
    assert.equal(await titleAfter(3_600_000, setFaults), 'first');
    assert.equal(await titleAfter(1, async () => {}), 'theirs');
  });

  it('follows the rules of a PATCH, and needs a method and the route of an item', async (test) => {
    for (const situation of [HTTP_A, IN_PROCESS]) {
      const { setFaults, violations, list } = await start(test, situation);
      const fault = { method: 'PUT', route: ITEM };
      const title = { title: 'x' };
      const needs =
        'edit must come with the method PUT, PATCH or DELETE, and the route /api/todos/{id}';
      const nothing =
        'edit must not be combined with status, nor with abort "before" or "reset", which carry nothing out';
      for (const [members, ...expected] of [
        [{ ...fault, edit: [title] }, 'edit must be an object, not an array'],
        [
          { ...fault, edit: { title: '', completed: null, titel: 'x' } },
          'edit/title must be at least 1 character long',
          'edit/completed must not be null',
          'edit/titel is unknown; did you mean title?',
        ],
        [{ edit: title }, needs],
        [{ edit: title, method: 'PUT' }, needs],
        [{ edit: title, route: ITEM }, needs],
        [{ edit: title, method: 'GET', route: ITEM }, needs],
        [{ edit: title, method: 'DELETE', route: LIST }, needs],
        [{ ...fault, edit: title, status: 503 }, nothing],
        [{ ...fault, edit: title, abort: 'before' }, nothing],
        [{ ...fault, edit: title, abort: 'reset' }, nothing],
        [{ edit: title, abort: 'reset' }, nothing, needs],
        [{ ...fault, conflict: title }, 'conflict is unknown; did you mean edit?'],
      ] as const) {
        assert.deepEqual(await violations(members), expected);
      }
      const edit = { title: 'x', description: 'y' };
      await setFaults({ ...fault, edit, abort: 'after' }, { ...fault, edit, responseDelayMs: 1 });
      assert.deepEqual((await list.faults())[0], { ...fault, edit, abort: 'after', hits: 0 });
    }
  });
});
