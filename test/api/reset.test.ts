import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { clock } from '../../src/lib/clock.ts';
import { type SeedItem, startTodoService } from '../../src/package/index.ts';
import { variantA } from '../../src/service/todo/variant-a.ts';
import { variantB } from '../../src/service/todo/variant-b.ts';
import { TOKEN as ADMIN_TOKEN, AUTHORIZED, startAdmin } from '../support/admin.ts';
import { clientFor } from '../support/client.ts';
import { EventClient } from '../support/events.ts';
import { titles as titlesOf } from '../support/items.ts';
import { EVENTS, itemPath, LIST } from '../support/paths.ts';
import { rawClientFor } from '../support/raw.ts';
import { createRequest, getRequest } from '../support/raw-requests.ts';
import type { Todo } from '../support/requests.ts';
import { VARIANTS } from '../support/service.ts';
import { turnsUntil } from '../support/within.ts';
import { assertProblem, violationsIn } from './suite.ts';

const HOUR_MS = 3_600_000;

/** A request with a value as JSON, or without content if that is undefined. */
const withContent = (method: string, path: string, value: unknown, fields = '') => {
  const body = JSON.stringify(value) ?? '';
  const length = `Content-Length: ${body.length}\r\n`;
  const json = body === '' ? '' : `Content-Type: application/json\r\n${length}`;
  return `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${json}${fields}\r\n${body}`;
};

const CREATE = createRequest();
const UPDATE = withContent('PUT', itemPath(1), { title: 'changed' });
const BATCH = withContent('POST', `${LIST}/batch`, [{ title: 'a' }, { title: 'b' }]);

/**
 * Requests of a test that has ended, with the statuses that they can have, because they may run in
 * any order. The writes would change what the next test sees.
 */
const REQUESTS: readonly (readonly [bytes: string, ...statuses: number[]])[] = [
  [CREATE, 201],
  [UPDATE, 200, 404],
  [withContent('PATCH', itemPath(1), { title: 'changed' }), 200, 404],
  [withContent('DELETE', itemPath(1), undefined), 204],
  [getRequest(LIST), 200],
  [getRequest(itemPath(1)), 200, 404],
  [getRequest('/none'), 404],
  [withContent('DELETE', `${LIST}?completed=true`, undefined), 200],
  [BATCH, 201],
];

const TOKEN = `Authorization: ${AUTHORIZED.authorization}\r\n`;
const RESET = `POST /admin/reset HTTP/1.1\r\nHost: localhost\r\n${TOKEN}Content-Length: 0\r\n\r\n`;

/** The items of the test that ends. */
const SEED = [{ title: 'one' }, { title: 'two', completed: true }];

/** Long enough that a client which does not read it holds up its response. */
const LONG = Array.from({ length: 1_200 }, (_, i) => ({
  title: `${i}`,
  description: '😀'.repeat(1_000),
}));

const NEXT = [{ title: '7' }, { title: 'next' }];

/** Each variant with one of the ways: none of them depends on the other. */
const WAYS = [
  [variantA, 'over HTTP'],
  [variantB, 'in process'],
] as const;

for (const [variant, way] of WAYS) {
  /** A service with a list of items, and how to reset it to other ones. */
  const start = async (test: TestContext, seed: readonly SeedItem[] = SEED) => {
    const service = await startTodoService({
      variant: variant.name,
      seed,
      env: { ADMIN_TOKEN },
    });
    test.after(() => service.stop());
    const { port } = new URL(service.url);
    const client = clientFor(test, service.url);
    const connect = () => rawClientFor(test, Number(port));
    const reset = async () => {
      if (way === 'in process') await service.reset(NEXT);
      else {
        const headers = { ...AUTHORIZED, 'content-type': 'application/json' };
        const body = JSON.stringify(NEXT);
        const answer = await client.request('POST', '/admin/reset', { headers, body });
        assert.equal(answer.status, 204, answer.text);
      }
    };
    const arrived = (count: number) =>
      turnsUntil('all have arrived', async () => (await service.requests()).length === count);
    /** The next test sees its own items, and nothing that earlier requests have done. */
    const assertUntouched = async (events: EventClient, ownRequests = 0) => {
      assert.equal((await service.requests()).length, ownRequests);
      assert.deepEqual(await service.faults(), []);
      assert.deepEqual(await titlesOf(client), ['7', 'next']);
      const { id } = (await client.post(LIST, { title: 'last' })).json<Todo>();
      assert.equal(id, 3);
      while ((await events.next()).event !== 'reset');
      const { event, data } = await events.next();
      assert.deepEqual([event, JSON.parse(data).title], ['put', 'last']);
      events.close();
    };
    const openEvents = async () => {
      const events = await EventClient.open(service.url);
      assert.equal((await events.next()).event, 'ready');
      return events;
    };
    return { service, client, connect, reset, arrived, openEvents, assertUntouched };
  };

  describe(`variant ${variant.name}: a request under way at a reset ${way}`, () => {
    for (const fault of [
      { delayMs: HOUR_MS },
      { responseDelayMs: HOUR_MS },
      { delayMs: HOUR_MS, status: 503 },
    ]) {
      it(`ends with its delay: ${Object.keys(fault)}`, async (test) => {
        const { service, connect, reset, arrived, openEvents, assertUntouched } = await start(test);
        const events = await openEvents();
        await service.faults([fault]);
        const clients = await Promise.all(
          REQUESTS.map(async ([bytes]) => (await connect()).send(bytes)),
        );
        await arrived(1 + clients.length);
        await reset();
        for (const [i, [bytes, ...statuses]] of REQUESTS.entries()) {
          const expected = 'status' in fault ? [503] : statuses;
          const response = await clients[i]?.next();
          assert(expected.includes(response?.status ?? 0), `${bytes}: ${response?.text}`);
        }
        await assertUntouched(events);
      });
    }

    it('goes on when the rest of its content arrives', async (test) => {
      const { connect, reset, openEvents, assertUntouched } = await start(test);
      const events = await openEvents();
      const head = 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n';
      const chunked = `POST ${LIST} HTTP/1.1\r\nHost: localhost\r\n${head}\r\n5\r\n{"tit\r\n8\r\nle":"x"}\r\n0\r\n\r\n`;
      const requests = [CREATE, BATCH, UPDATE, chunked];
      const clients = await Promise.all(
        requests.map(async (each) => (await connect()).sendApart(each.slice(0, -9))),
      );
      await reset();
      for (const [i, client] of clients.entries()) client.send(requests[i]?.slice(-9) ?? '');
      const statuses = clients.map(async (client) => (await client.next())?.status);
      assert.deepEqual(await Promise.all(statuses), [201, 201, 200, 201]);
      await assertUntouched(events);
    });

    it('goes on with its write by condition', async (test) => {
      const { connect, reset, arrived, openEvents, assertUntouched } = await start(test, LONG);
      const events = await openEvents();
      const clients = await Promise.all(Array.from({ length: 20 }, connect));
      // Time passes with each look at it, so that a write takes many turns on any machine.
      let now = clock.now();
      const mocked = test.mock.method(clock, 'now', () => {
        now += 1;
        return now;
      });
      for (const [i, client] of clients.entries()) {
        const patch = i % 2 === 0 ? { title: '7' } : undefined;
        const method = patch === undefined ? 'DELETE' : 'PATCH';
        client.send(withContent(method, `${LIST}?title.contains=7`, patch));
      }
      const responses = clients.map((client) => client.next());
      await arrived(1 + clients.length);
      await reset();
      mocked.mock.restore();
      for (const response of await Promise.all(responses)) assert.equal(response?.status, 200);
      await assertUntouched(events);
    });

    it('shows the moment at which its response began', async (test) => {
      const { connect, reset, arrived, openEvents, assertUntouched } = await start(test, LONG);
      const events = await openEvents();
      const client = await connect();
      client.socket.pause();
      client.send(getRequest(LIST));
      await arrived(2);
      await reset();
      const other = (await connect()).send(getRequest(`${LIST}/1`));
      assert.equal(JSON.parse((await other.next())?.text ?? '').title, '7');
      client.socket.resume();
      const items = JSON.parse((await client.next())?.text ?? '');
      assert.deepEqual(
        items.map(({ title }: Todo) => title),
        LONG.map(({ title }) => title),
      );
      await assertUntouched(events, 1);
    });

    it('ends with its wait for requests', async (test) => {
      const { service, connect, reset } = await start(test);
      const client = await connect();
      const target = '/admin/requests?waitMs=60000&count=9&method=GET';
      await client.sendApart(getRequest(LIST) + getRequest(target, TOKEN));
      const waiting = service.waitForRequests({ method: 'PUT' });
      const rejected = assert.rejects(waiting, /0 of 1 requests came before the list was reset/);
      await reset();
      const [, journal] = await client.take(2);
      assert.equal(JSON.parse(journal?.text ?? '').requests.length, 1);
      await rejected;
      assert.deepEqual(await service.requests(), []);
    });
  });
}

for (const variant of VARIANTS) {
  const start = async (test: TestContext) => {
    const service = await startAdmin(test, variant);
    return { ...service, titles: () => titlesOf(service.client) };
  };

  describe(`variant ${variant.name}: a request that is taken up after a reset`, () => {
    it('is carried out, even if it was pipelined behind the reset', async (test) => {
      const { connect, requests, titles } = await start(test);
      const before = await titles();
      const client = await connect();
      client.send(RESET + CREATE + getRequest(LIST));
      const statuses = (await client.take(3)).map(({ status }) => status);
      assert.deepEqual(statuses, [204, 201, 200]);
      assert.deepEqual(
        (await requests()).map(({ method, status }) => [method, status]),
        [
          ['POST', 201],
          ['GET', 200],
        ],
      );
      assert.equal((await titles()).length, before.length + 1);
    });

    it('belongs to the next list, even if it arrived behind a delayed one', async (test) => {
      const { admin, setFaults, connect, requests } = await start(test);
      await setFaults({ delayMs: HOUR_MS });
      const client = await connect();
      client.send(CREATE + getRequest(LIST));
      await turnsUntil('one has arrived', async () => (await requests()).length === 1);
      await admin('POST', '/admin/reset', [{ title: 'next' }]);
      const [created, list] = await client.take(2);
      assert.equal(created?.status, 201);
      const items = JSON.parse(list?.text ?? '').map(({ title }: Todo) => title);
      assert.deepEqual(items, ['next']);
      assert.deepEqual(
        (await requests()).map(({ method }) => method),
        ['GET'],
      );
    });

    it('acts on the place if it is for events, admin or health', async (test) => {
      const { admin, connect, setFaults, faults, titles, baseUrl } = await start(test);
      const [client, second, probe] = [await connect(), await connect(), await connect()];
      const reset = withContent('POST', '/admin/reset', [{ title: 'other' }], TOKEN);
      const set = withContent(
        'PUT',
        '/admin/faults',
        { faults: [{ path: '/x', status: 503 }] },
        TOKEN,
      );
      await client.sendApart(reset.slice(0, -5));
      await second.sendApart(set.slice(0, -5));
      const livez = `GET /livez HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}`;
      await probe.sendApart(livez.slice(0, -1));
      await setFaults({ path: EVENTS, delayMs: HOUR_MS });
      const events = EventClient.open(baseUrl);
      await admin('POST', '/admin/reset');
      assert.equal((await client.send(reset.slice(-5)).next())?.status, 204);
      assert.equal((await second.send(set.slice(-5)).next())?.status, 200);
      assert.equal((await faults()).length, 1);
      assert.equal((await probe.send('}').next())?.status, 200);
      const stream = await events;
      assert.equal((await stream.next()).event, 'ready');
      stream.close();
      assert.deepEqual(await titles(), ['other']);
    });
  });
}

describe('a reset', () => {
  it('restores items and ids, with new times of creation', async (test) => {
    const { client, admin } = await startAdmin(test, variantB);
    const before = (await client.get(LIST)).json<Todo[]>();
    for (let i = 0; i < 100; i++) await client.post(LIST, { title: `another ${i}` });
    await client.put(itemPath(1), { title: 'changed' });
    await client.delete(itemPath(2));
    const answer = await admin('POST', '/admin/reset');
    assert.equal(answer.status, 204);
    assert.equal(answer.text, '');
    const after = (await client.get(LIST)).json<Todo[]>();
    const withoutTime = ({ createdAt: _, ...todo }: Todo) => todo;
    assert.deepEqual(after.map(withoutTime), before.map(withoutTime));
    for (const [i, { createdAt = '' }] of after.entries()) {
      assert(createdAt >= (before[i]?.createdAt ?? ''));
    }
    assert.equal((await client.post(LIST, { title: 'next' })).json().id, 4);
    assert.equal((await client.get(`${LIST}?search=words`)).json<Todo[]>().length, 1);
    assert.equal((await client.get(`${LIST}?search=another`)).text, '[]');
  });

  it('can be to other items, this once', async (test) => {
    const { client, admin } = await startAdmin(test, variantB);
    const items = [{ title: 'x' }, { title: 'y', completed: true }];
    for (const seed of [items, { version: 1, todos: items }]) {
      assert.equal((await admin('POST', '/admin/reset', seed)).status, 204);
      assert.deepEqual(await titlesOf(client), ['x', 'y']);
      assert.equal((await client.post(LIST, { title: 'next' })).json().id, 3);
    }
    const type = { 'content-type': 'application/vnd.x+json' };
    const emptied = await admin('POST', '/admin/reset', [], type);
    assert.equal(emptied.status, 204);
    assert.deepEqual(await titlesOf(client), []);
    assert.equal((await admin('POST', '/admin/reset')).status, 204);
    assert.deepEqual(await titlesOf(client), ['first', 'second', 'third']);
  });

  it('changes nothing with an invalid seed, and reports all violations', async (test) => {
    const { client, admin, adminText } = await startAdmin(test, variantB, {
      env: { MAX_ROWS: '5' },
    });
    await client.post(LIST, { title: 'kept' });
    const before = (await client.get(LIST)).text;
    for (const [seed, violations] of [
      [
        [{ title: 'x' }, { title: 5, priority: 9 }, 7],
        ['#/1/title type', '#/1/priority maximum', '#/2 type'],
      ],
      [{ todos: [{ title: 5, done: true }] }, ['#/todos/0/title type', '#/todos/0/done unknown']],
      [{}, ['# type']],
      ['x', ['# type']],
    ] as const) {
      const answer = await admin('POST', '/admin/reset', seed);
      assert.deepEqual(violationsIn(answer), violations);
    }
    assertProblem(await adminText('POST', '/admin/reset', '[1]]'), 400, 'malformed-body');
    const many = Array.from({ length: 6 }, () => ({ title: 'x' }));
    const full = assertProblem(await admin('POST', '/admin/reset', many), 507, 'store-full');
    assert.match(full.detail, /at most 5 items \(MAX_ROWS\); send fewer/);
    assert.equal((await client.get(LIST)).text, before);
  });
});
