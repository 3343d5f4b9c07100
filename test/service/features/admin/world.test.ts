import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { jsonResponse } from '../../../../src/lib/http/core/response.ts';
import { byteString } from '../../../../src/lib/json/byte-string.ts';
import type { JournalEntry } from '../../../../src/service/features/admin/journal-entry.ts';
import { OF_FORMER_WORLD, World } from '../../../../src/service/features/admin/world.ts';
import { assertProblem } from '../../../api/suite.ts';
import { AUTHORIZED, startAdmin } from '../../../support/admin.ts';
import { Answer, type Todo } from '../../../support/client.ts';
import { itemPath, LIST } from '../../../support/paths.ts';
import { RawClient, type RawResponse } from '../../../support/raw.ts';
import { createRequest, getRequest } from '../../../support/raw-requests.ts';
import { route } from '../../../support/route.ts';
import { serverFor } from '../../../support/server.ts';
import { VARIANTS } from '../../../support/service.ts';

const HOUR_MS = 3_600_000;

const sentAsJson = (method: string, path: string, value: unknown) => {
  const body = JSON.stringify(value);
  const fields = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
  return `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${fields}\r\n${body}`;
};

/** Requests that would change what the next test sees. */
const WRITES = {
  create: createRequest(),
  update: sentAsJson('PUT', itemPath(1), { title: 'changed' }),
  patch: sentAsJson('PATCH', itemPath(1), { title: 'changed' }),
  remove: `DELETE ${itemPath(1)} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
  'remove by condition': `DELETE ${LIST}?completed=true HTTP/1.1\r\nHost: localhost\r\n\r\n`,
};

function assertReset(response: RawResponse | undefined): void {
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
    return { ...service, connect, journal, titles };
  };

  describe(`variant ${variant.name}: what came before a reset`, () => {
    it('has no effect after it while a fault delays it, and is answered at once', async (test) => {
      const { admin, setFaults, connect, journal, titles } = await start(test);
      const before = await titles();
      await setFaults({ delayMs: HOUR_MS });
      const clients = await Promise.all(
        Object.values(WRITES).map(async (write) => (await connect()).sendApart(write + write)),
      );
      assert.equal((await admin('POST', '/admin/reset')).status, 204);
      for (const client of clients) {
        const [response, ...others] = await client.toEnd();
        assertReset(response);
        assert.deepEqual([others, await client.ended], [[], 'closed']);
      }
      assert.deepEqual(await journal(), []);
      assert.deepEqual(await titles(), before);
    });

    it('has no effect after it if its content arrives later', async (test) => {
      const { admin, connect, journal, titles } = await start(test);
      const before = await titles();
      const client = await connect();
      await client.sendApart(WRITES.create.slice(0, -5));
      const chunked = await connect();
      const head = 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n';
      await chunked.sendApart(
        `POST ${LIST} HTTP/1.1\r\nHost: localhost\r\n${head}\r\n5\r\n{"tit\r\n`,
      );
      await admin('POST', '/admin/reset');
      assertReset(await client.next());
      assertReset(await chunked.next());
      client.send(WRITES.create.slice(-5) + WRITES.remove);
      chunked.send(`9\r\nle":"x"}\r\n0\r\n\r\n${WRITES.remove}`);
      assert.deepEqual([await client.toEnd(), await chunked.toEnd()], [[], []]);
      assert.deepEqual(await journal(), []);
      assert.deepEqual(await titles(), before);
    });

    it('is spared if it is for /admin', async (test) => {
      const { admin, connect, titles } = await start(test);
      const client = await connect();
      const content = sentAsJson('POST', '/admin/reset', [{ title: 'other' }]);
      const token = `Host: localhost\r\nAuthorization: ${AUTHORIZED.authorization}`;
      const request = content.replace('Host: localhost', token);
      await client.sendApart(request.slice(0, -5));
      await admin('POST', '/admin/reset');
      assert.equal((await client.send(request.slice(-5)).next())?.status, 204);
      assert.deepEqual(await titles(), ['other']);
    });

    it('comes before it if it is being carried out; what comes meanwhile does not', async (test) => {
      const { admin, client, connect, titles } = await start(test);
      const many = Array.from({ length: 20_000 }, (_, i) => ({ title: `${i}`, completed: true }));
      await admin('POST', '/admin/reset', many);
      const raws = await Promise.all(Array.from({ length: 20 }, connect));
      for (const raw of raws)
        raw.send(`DELETE ${LIST}?title.contains=7 HTTP/1.1\r\nHost: localhost\r\n\r\n`);
      const [answer] = await Promise.all([
        admin('POST', '/admin/reset'),
        ...raws.map(async (raw) => {
          const response = await raw.next();
          if (response?.status !== 200) assertReset(response);
        }),
      ]);
      assert.equal(answer.status, 204);
      assert.deepEqual(await titles(), ['first', 'second', 'third']);
      assert.equal((await client.get(itemPath(1))).status, 200);
    });
  });
}

describe('a delay', () => {
  for (const [method, faults] of [
    ['DELETE', undefined],
    ['PUT', [{ status: 503 }]],
  ] as const) {
    it(`ends when the faults change, with the outcome of its own: ${method}`, async (test) => {
      const [variant] = VARIANTS;
      assert(variant);
      const { admin, setFaults, baseUrl } = await startAdmin(test, variant);
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
  it('ends delays, those of later requests, too, and waits for requests', async (test) => {
    const [variant] = VARIANTS;
    assert(variant);
    const { app, admin, setFaults, baseUrl } = await startAdmin(test, variant);
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

describe('a reset and what is being carried out', () => {
  it('wait for each other, in the order of their arrival', async (test) => {
    const world = new World();
    const done: string[] = [];
    let finish = () => {};
    const slow = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const handle = async ({ path }: { path: string }) => {
      if (path === '/slow') await slow;
      done.push(path);
      return jsonResponse(200, byteString('{}'));
    };
    const routes = ['/slow', '/late'].map((path) => route('GET', path, handle));
    const { port } = await serverFor(test, routes, {}, [world.middleware]);
    const connect = () => RawClient.connect(port);
    const clients = await Promise.all([connect(), connect(), connect()]);
    test.after(() => {
      for (const client of clients) client.destroy();
    });
    const [first, late, next] = clients;
    assert(first && late && next);
    await first.sendApart(getRequest('/slow'));
    const settled = world.settle(() => {
      done.push('reset');
      world.end(OF_FORMER_WORLD);
    });
    await late.sendApart(getRequest('/late'));
    assert.deepEqual(done, [], 'the reset waits for the first, the second for the reset');
    finish();
    await settled;
    assert.equal((await first.next())?.status, 200);
    assertReset(await late.next());
    assert.equal((await next.send(getRequest('/late')).next())?.status, 200);
    assert.deepEqual(done, ['/slow', 'reset', '/late']);
  });

  it('goes on if the reset fails', async (test) => {
    const world = new World();
    let finish = () => {};
    const slow = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const handle = async ({ path }: { path: string }) => {
      if (path === '/slow') await slow;
      return jsonResponse(200, byteString('{}'));
    };
    const routes = ['/slow', '/x'].map((path) => route('GET', path, handle));
    const { port } = await serverFor(test, routes, {}, [world.middleware]);
    const [first, client] = await Promise.all([RawClient.connect(port), RawClient.connect(port)]);
    test.after(() => {
      first.destroy();
      client.destroy();
    });
    await first.sendApart(getRequest('/slow'));
    const settled = world.settle(() => {
      throw new TypeError('full');
    });
    await client.sendApart(getRequest('/x'));
    finish();
    await assert.rejects(settled, { message: 'full' });
    assert.equal((await client.next())?.status, 200);
  });
});
