import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Steps } from '../../src/lib/steps.ts';
import type { JournalEntry } from '../../src/service/features/control/journal-entry.ts';
import { Items, type Run } from '../../src/service/store/items.ts';
import { memoryStore } from '../../src/service/store/memory-store.ts';
import { Resets } from '../../src/service/todo/reset.ts';
import { variantB } from '../../src/service/todo/variant-b.ts';
import { AUTHORIZED, startAdmin } from '../support/admin.ts';
import { Answer, type Todo } from '../support/client.ts';
import { EventClient } from '../support/events.ts';
import { EVENTS, itemPath, LIST } from '../support/paths.ts';
import { RawClient, type RawResponse } from '../support/raw.ts';
import { createRequest, getRequest } from '../support/raw-requests.ts';
import { VARIANTS } from '../support/service.ts';
import { assertProblem } from './suite.ts';

const HOUR_MS = 3_600_000;

const withContent = (method: string, path: string, value: unknown, fields = '') => {
  const body = JSON.stringify(value);
  const json = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
  return `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${json}${fields}\r\n${body}`;
};

/** Requests that would change what the next test sees. */
const WRITES = {
  create: createRequest(),
  update: withContent('PUT', itemPath(1), { title: 'changed' }),
  patch: withContent('PATCH', itemPath(1), { title: 'changed' }),
  remove: `DELETE ${itemPath(1)} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
  'remove by condition': `DELETE ${LIST}?completed=true HTTP/1.1\r\nHost: localhost\r\n\r\n`,
};

const TOKEN = `Authorization: ${AUTHORIZED.authorization}\r\n`;
const RESET = `POST /admin/reset HTTP/1.1\r\nHost: localhost\r\n${TOKEN}Content-Length: 0\r\n\r\n`;

function assertRefused(response: RawResponse | undefined): void {
  assert(response);
  const { status, headers, text } = response;
  assertProblem(new Answer(status, headers, text), 409, 'reset');
  assert.equal(headers.connection, 'close');
}

for (const variant of VARIANTS) {
  const start = async (test: TestContext) => {
    const service = await startAdmin(test, variant);
    const port = Number(new URL(service.baseUrl).port);
    const connect = async () => {
      const raw = await RawClient.connect(port);
      test.after(() => raw.destroy());
      return raw;
    };
    const journal = async () => {
      const answer = await service.admin('GET', '/admin/requests');
      return answer.json<{ requests: JournalEntry[] }>().requests;
    };
    const titles = async () =>
      (await service.client.get(LIST)).json<Todo[]>().map(({ title }) => title);
    const reset = async (seed?: unknown) => {
      assert.equal((await service.admin('POST', '/admin/reset', seed)).status, 204);
    };
    return { ...service, connect, journal, titles, reset };
  };

  describe(`variant ${variant.name}: a request from before a reset`, () => {
    it('gets 409 when the reset ends its delay, and changes nothing', async (test) => {
      const { setFaults, connect, journal, titles, reset } = await start(test);
      const before = await titles();
      for (const fault of [{ delayMs: HOUR_MS }, { delayMs: HOUR_MS, status: 503 }]) {
        await setFaults(fault);
        const clients = await Promise.all(
          Object.values(WRITES).map(async (write) => (await connect()).sendApart(write + write)),
        );
        await reset();
        for (const client of clients) {
          const [response, ...others] = await client.toEnd();
          assertRefused(response);
          assert.deepEqual([others, await client.ended], [[], 'closed']);
        }
        assert.deepEqual(await journal(), []);
        assert.deepEqual(await titles(), before);
      }
    });

    it('gets 409 when its content has arrived, and uses up no fault', async (test) => {
      const { admin, setFaults, connect, journal, titles, reset } = await start(test);
      const before = await titles();
      const [client, chunked] = [await connect(), await connect()];
      await client.sendApart(WRITES.create.slice(0, -5));
      const head = 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n';
      await chunked.sendApart(
        `POST ${LIST} HTTP/1.1\r\nHost: localhost\r\n${head}\r\n5\r\n{"tit\r\n`,
      );
      await reset();
      await setFaults({ method: 'POST', status: 503, times: 1 });
      client.send(WRITES.create.slice(-5) + WRITES.remove);
      chunked.send(`9\r\nle":"x"}\r\n0\r\n\r\n${WRITES.remove}`);
      for (const each of [client, chunked]) {
        const [response, ...others] = await each.toEnd();
        assertRefused(response);
        assert.deepEqual(others, []);
      }
      const { faults } = (await admin('GET', '/admin/faults')).json<{ faults: unknown[] }>();
      assert.deepEqual(faults, [{ method: 'POST', status: 503, times: 1, hits: 0 }]);
      assert.deepEqual(await journal(), []);
      assert.deepEqual(await titles(), before);
    });

    it('gets 409 when its write by condition is about to commit', async (test) => {
      const { client, connect, titles, reset } = await start(test);
      await reset(Array.from({ length: 20_000 }, (_, i) => ({ title: `${i}`, completed: true })));
      const raws = await Promise.all(Array.from({ length: 20 }, connect));
      for (const raw of raws)
        raw.send(`DELETE ${LIST}?title.contains=7 HTTP/1.1\r\nHost: localhost\r\n\r\n`);
      await Promise.all([
        reset(),
        ...raws.map(async (raw) => {
          const response = await raw.next();
          if (response?.status !== 200) assertRefused(response);
        }),
      ]);
      assert.deepEqual(await titles(), ['first', 'second', 'third']);
      assert.equal((await client.get(itemPath(1))).status, 200);
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
    it('is a new one, also if it was pipelined behind the reset', async (test) => {
      const { connect, journal, titles } = await start(test);
      const before = await titles();
      const client = await connect();
      client.send(RESET + WRITES.create + getRequest(LIST));
      const statuses = (await client.take(3)).map(({ status }) => status);
      assert.deepEqual(statuses, [204, 201, 200]);
      assert.deepEqual(
        (await journal()).map(({ method, status }) => [method, status]),
        [
          ['POST', 201],
          ['GET', 200],
        ],
      );
      assert.equal((await titles()).length, before.length + 1);
    });
  });
}

describe('a delay', () => {
  for (const [method, faults] of [
    ['DELETE', undefined],
    ['PUT', [{ status: 503 }]],
  ] as const) {
    it(`ends when the faults change, and the rest of its fault happens: ${method}`, async (test) => {
      const { admin, setFaults, baseUrl } = await startAdmin(test, variantB);
      await setFaults(
        { method: 'GET', delayMs: HOUR_MS },
        { method: 'POST', delayMs: HOUR_MS, status: 502 },
      );
      const port = Number(new URL(baseUrl).port);
      const [got, posted] = await Promise.all([RawClient.connect(port), RawClient.connect(port)]);
      await got.sendApart(getRequest(LIST));
      await posted.sendApart(createRequest());
      await admin(method, '/admin/faults', faults && { faults });
      assert.deepEqual([(await got.next())?.status, (await posted.next())?.status], [200, 502]);
      got.destroy();
      posted.destroy();
    });
  }
});

describe('a stop', () => {
  it('ends delays, also those of later requests, and waits for requests', async (test) => {
    const { app, admin, setFaults, baseUrl } = await startAdmin(test, variantB);
    await setFaults({ method: 'POST', delayMs: HOUR_MS });
    const port = Number(new URL(baseUrl).port);
    const [client, other] = await Promise.all([RawClient.connect(port), RawClient.connect(port)]);
    const waiting = admin('GET', '/admin/requests?waitMs=60000&count=9');
    await client.sendApart(createRequest());
    await other.sendApart(createRequest().slice(0, -1));
    const stopped = app.stop(5_000);
    other.send(createRequest().slice(-1));
    assert.equal((await client.next())?.status, 201);
    assert.equal((await other.next())?.status, 201);
    assert.equal((await waiting).status, 200);
    assert.equal(await stopped, true);
  });
});

const ITEMS = ['one', 'two', 'three'].map((title) => ({ title }));

/** Runs steps one by one, on demand. */
function stepwise() {
  const running: { step(): boolean }[] = [];
  const run: Run = <T>(steps: Steps<unknown, T>) =>
    new Promise<T>((resolve) => {
      running.push({
        step: () => {
          const { done, value } = steps.next();
          if (done) resolve(value);
          return done === true;
        },
      });
    });
  return { running, run };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('a reset', () => {
  const all = (items: Items) => items.table.search();

  it('is prepared in steps; a write meanwhile precedes it', async () => {
    const items = new Items(variantB.fields, {}, ITEMS);
    const commits: boolean[] = [];
    items.table.onCommit(({ isReplacement }) => commits.push(isReplacement));
    const { running, run } = stepwise();
    const store = memoryStore(items, run);
    commits.length = 0;
    const reset = store.reset();
    const [work] = running;
    assert(work);
    let steps = 1;
    for (; !work.step(); steps++) {
      const { id } = items.create({ title: 'meanwhile' });
      assert.equal(id, BigInt(3 + steps), 'the previous items are in effect until then');
    }
    await reset;
    assert(steps >= ITEMS.length);
    assert.deepEqual(
      all(items).map(({ id, title }) => ({ id, title })),
      ITEMS.map(({ title }, i) => ({ id: BigInt(i + 1), title })),
    );
    assert.deepEqual(commits, [...Array.from({ length: steps - 1 }, () => false), true]);
    assert.equal(items.create({ title: 'next' }).id, 4n);
  });

  it('waits for the previous one, which may fail', async () => {
    const items = new Items(variantB.fields, {}, ITEMS);
    const { running, run } = stepwise();
    const failure = new Error('overloaded');
    const runs: Run[] = [
      () => {
        throw failure;
      },
    ];
    const store = memoryStore(items, (steps) => (runs.shift() ?? run)(steps));
    const resets = new Resets(store, variantB.fields, {
      log: undefined,
      seedFile: undefined,
      lastRequestNumber: () => 0,
    });
    const [failed, second, third] = [resets.reset(), resets.reset(), resets.reset()];
    await assert.rejects(failed, failure);
    await turn();
    assert.equal(running.length, 1, 'only one is prepared at a time');
    while (!running[0]?.step());
    await second;
    items.create({ title: 'between' });
    await turn();
    assert.equal(running.length, 2);
    while (!running[1]?.step());
    await third;
    assert.equal(all(items).length, ITEMS.length);
  });
});
