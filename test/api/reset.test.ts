import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { clock } from '../../src/lib/clock.ts';
import { variantB } from '../../src/service/todo/variant-b.ts';
import { AUTHORIZED, startAdmin } from '../support/admin.ts';
import { EventClient } from '../support/events.ts';
import { titles as titlesOf } from '../support/items.ts';
import { EVENTS, itemPath, LIST } from '../support/paths.ts';
import type { RawResponse } from '../support/raw.ts';
import { createRequest, getRequest } from '../support/raw-requests.ts';
import { Answer, type Todo } from '../support/requests.ts';
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

/** Requests of a test that has ended. The writes would change what the next test sees. */
const REQUESTS = {
  create: createRequest(),
  update: withContent('PUT', itemPath(1), { title: 'changed' }),
  patch: withContent('PATCH', itemPath(1), { title: 'changed' }),
  remove: `DELETE ${itemPath(1)} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
  list: getRequest(LIST),
  item: getRequest(itemPath(1)),
  'unknown path': getRequest('/none'),
  'remove by condition': `DELETE ${LIST}?completed=true HTTP/1.1\r\nHost: localhost\r\n\r\n`,
};

const TOKEN = `Authorization: ${AUTHORIZED.authorization}\r\n`;
const RESET = `POST /admin/reset HTTP/1.1\r\nHost: localhost\r\n${TOKEN}Content-Length: 0\r\n\r\n`;

/** Waits until `count` requests have arrived. */
function arrived(requests: () => Promise<readonly unknown[]>, count: number): Promise<void> {
  return turnsUntil('all have arrived', async () => (await requests()).length === count);
}

function assertRefused(response: RawResponse | undefined): void {
  assert(response);
  const { status, headers, text } = response;
  assertProblem(new Answer(status, headers, text), 409, 'reset');
  assert.equal(headers.connection, 'close');
}

for (const variant of VARIANTS) {
  const start = async (test: TestContext) => {
    const service = await startAdmin(test, variant);
    const reset = async (seed?: unknown) => {
      assert.equal((await service.admin('POST', '/admin/reset', seed)).status, 204);
    };
    return { ...service, titles: () => titlesOf(service.client), reset };
  };

  describe(`variant ${variant.name}: a request from before a reset`, () => {
    it('gets 409 when the reset ends its delay, and changes nothing', async (test) => {
      const { admin, setFaults, connect, requests, titles, reset } = await start(test);
      const before = await titles();
      for (const fault of [{ delayMs: HOUR_MS }, { delayMs: HOUR_MS, status: 503 }]) {
        await setFaults(fault);
        await admin('DELETE', '/admin/requests');
        const clients = await Promise.all(
          Object.values(REQUESTS).map(async (each) => (await connect()).sendApart(each + each)),
        );
        await arrived(requests, clients.length);
        await reset();
        for (const client of clients) {
          const [response, ...others] = await client.toEnd();
          assertRefused(response);
          assert.deepEqual([others, await client.ended], [[], 'closed']);
        }
        assert.deepEqual(await requests(), []);
        assert.deepEqual(await titles(), before);
      }
    });

    it('gets 409 when its content has arrived, and uses up no fault', async (test) => {
      const { faults, setFaults, connect, requests, titles, reset } = await start(test);
      const before = await titles();
      const [client, chunked] = [await connect(), await connect()];
      await client.sendApart(REQUESTS.create.slice(0, -5));
      const head = 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n';
      await chunked.sendApart(
        `POST ${LIST} HTTP/1.1\r\nHost: localhost\r\n${head}\r\n5\r\n{"tit\r\n`,
      );
      await reset();
      await setFaults({ method: 'POST', status: 503, times: 1 });
      client.send(REQUESTS.create.slice(-5) + REQUESTS.remove);
      chunked.send(`9\r\nle":"x"}\r\n0\r\n\r\n${REQUESTS.remove}`);
      for (const each of [client, chunked]) {
        const [response, ...others] = await each.toEnd();
        assertRefused(response);
        assert.deepEqual(others, []);
      }
      assert.deepEqual(await faults(), [{ method: 'POST', status: 503, times: 1, hits: 0 }]);
      assert.deepEqual(await requests(), []);
      assert.deepEqual(await titles(), before);
    });

    it('gets 409 when its write by condition is about to commit', async (test) => {
      const { connect, requests, titles, reset } = await start(test);
      const next = ['7', '77', 'x'].map((title) => ({ title }));
      for (const method of ['DELETE', 'PATCH']) {
        await reset(Array.from({ length: 6_000 }, (_, i) => ({ title: `${i}` })));
        const raws = await Promise.all(Array.from({ length: 20 }, connect));
        // Time passes with each look at it, so that a write takes many turns on any machine.
        let now = clock.now();
        const mocked = test.mock.method(clock, 'now', () => {
          now += 1;
          return now;
        });
        const patch = method === 'PATCH' ? { title: 'changed' } : undefined;
        for (const raw of raws) raw.send(withContent(method, `${LIST}?title.contains=7`, patch));
        const responses = raws.map((raw) => raw.next());
        await arrived(requests, raws.length);
        await reset(next);
        mocked.mock.restore();
        assert.deepEqual(await titles(), ['7', '77', 'x'], 'the next test has its own items');
        const refused = (await Promise.all(responses)).filter((each) => each?.status !== 200);
        assert(refused.length > 0, 'the reset came before some commits');
        for (const response of refused) assertRefused(response);
        assert.deepEqual(await titles(), ['7', '77', 'x'], 'and keeps them');
      }
    });

    it('is served if it is for /admin, health or the events', async (test) => {
      const { connect, setFaults, titles, reset, baseUrl } = await start(test);
      const [client, probe] = [await connect(), await connect()];
      const request = withContent('POST', '/admin/reset', [{ title: 'other' }], TOKEN);
      await client.sendApart(request.slice(0, -5));
      const livez = `GET /livez HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}`;
      await probe.sendApart(livez.slice(0, -1));
      await setFaults({ path: EVENTS, delayMs: HOUR_MS });
      const events = EventClient.open(baseUrl);
      await reset();
      assert.equal((await client.send(request.slice(-5)).next())?.status, 204);
      assert.equal((await probe.send('}').next())?.status, 200);
      const stream = await events;
      assert.equal((await stream.next()).event, 'ready');
      stream.close();
      assert.deepEqual(await titles(), ['other']);
    });
  });

  describe(`variant ${variant.name}: a request that is taken up after a reset`, () => {
    it('is carried out, even if it was pipelined behind the reset', async (test) => {
      const { connect, requests, titles } = await start(test);
      const before = await titles();
      const client = await connect();
      client.send(RESET + REQUESTS.create + getRequest(LIST));
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

  it('changes the tag of every list, and is sent to event streams', async (test) => {
    const { client, admin, baseUrl } = await startAdmin(test, variantB);
    const tagOf = async () => (await client.get(LIST)).headers.etag;
    const events = await EventClient.open(baseUrl);
    const ready = await events.next();
    const before = await tagOf();
    await admin('POST', '/admin/reset');
    assert.notEqual(await tagOf(), before);
    assert.equal((await events.next()).event, 'reset');
    await client.post(LIST, { title: 'next' });
    assert.equal((await events.next()).event, 'put');
    events.close();
    const late = await EventClient.open(baseUrl, ready.id);
    assert.deepEqual(
      (await late.take(2)).map(({ event }) => event),
      ['ready', 'reset'],
    );
    late.close();
  });

  it('empties faults and the journal', async (test) => {
    const service = await startAdmin(test, variantB);
    await service.client.get(LIST);
    await service.setFaults({ path: '/none', status: 503 });
    await service.admin('POST', '/admin/reset');
    assert.deepEqual([await service.faults(), await service.requests()], [[], []]);
  });

  it('can be to other items, this once', async (test) => {
    const { client, admin } = await startAdmin(test, variantB);
    const items = [{ title: 'x' }, { title: 'y', completed: true }];
    for (const seed of [items, { version: 1, todos: items }]) {
      assert.equal((await admin('POST', '/admin/reset', seed)).status, 204);
      assert.deepEqual(await titlesOf(client), ['x', 'y']);
      assert.equal((await client.post(LIST, { title: 'next' })).json().id, 3);
    }
    const headers = { ...AUTHORIZED, 'content-type': 'application/vnd.x+json' };
    const emptied = await client.request('POST', '/admin/reset', { headers, body: '[]' });
    assert.equal(emptied.status, 204);
    assert.deepEqual(await titlesOf(client), []);
    assert.equal((await admin('POST', '/admin/reset')).status, 204);
    assert.deepEqual(await titlesOf(client), ['first', 'second', 'third']);
  });

  it('takes up to 1 MiB', async (test) => {
    const { client, admin } = await startAdmin(test, variantB);
    const description = 'x'.repeat(1000);
    const seed = (length: number) => Array.from({ length }, () => ({ title: 'x', description }));
    assert.equal((await admin('POST', '/admin/reset', seed(1_000))).status, 204);
    assert.equal((await client.get(`${LIST}?limit=0`)).headers['x-total-count'], '1000');
    const tooLarge = await admin('POST', '/admin/reset', seed(1_030));
    assertProblem(tooLarge, 413, 'content-too-large');
  });

  it('changes nothing with an invalid seed, and reports all violations', async (test) => {
    const { client, admin } = await startAdmin(test, variantB, { env: { MAX_ROWS: '5' } });
    await client.post(LIST, { title: 'kept' });
    const before = (await client.get(LIST)).text;
    for (const [seed, violations] of [
      [
        [{ title: 'x' }, { title: 5, priority: 9 }, 7],
        ['#/1/title type', '#/1/priority maximum', '#/2 type'],
      ],
      [{ todos: [{ title: 5 }] }, ['#/todos/0/title type']],
      [{}, ['# type']],
      ['x', ['# type']],
    ] as const) {
      const answer = await admin('POST', '/admin/reset', seed);
      assert.deepEqual(violationsIn(answer), violations);
    }
    const malformed = await client.request('POST', '/admin/reset', {
      headers: { ...AUTHORIZED, 'content-type': 'application/json' },
      body: '[1]]',
    });
    assertProblem(malformed, 400, 'malformed-body');
    const many = Array.from({ length: 6 }, () => ({ title: 'x' }));
    const full = assertProblem(await admin('POST', '/admin/reset', many), 507, 'store-full');
    assert.match(full.detail, /at most 5 items \(MAX_ROWS\); send fewer/);
    assert.equal((await client.get(LIST)).text, before);
  });
});
