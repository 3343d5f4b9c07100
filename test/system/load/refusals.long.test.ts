import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { AUTHORIZED, TOKEN } from '../../support/admin.ts';
import { EVENTS, LIST } from '../../support/paths.ts';
import { ServiceProcess } from '../../support/process.ts';
import { RawClient } from '../../support/raw.ts';
import { createRequest, getRequest } from '../../support/raw-requests.ts';
import { until } from '../../support/until.ts';
import { fill } from './fill.ts';

/** A content of 60 kB. */
const LONG_CONTENT = JSON.stringify({ title: 'x' }) + ' '.repeat(60_000);

const LONG_FIELDS = Array.from({ length: 90 }, (_, i) => `x-${i}: ${'v'.repeat(220)}\r\n`).join('');

/** A PATCH of all items. */
function patchAll(from: number, content: string): string {
  const request = createRequest({ path: `${LIST}?id.gte=${from}`, body: content });
  return request.replace('POST', 'PATCH');
}

/** Many clients at once, of which each sends requests and reads the responses. */
interface Crowd {
  readonly title: string;
  readonly clients: number;
  /** @param i the number of the client, from 0 */
  readonly bytes: (i: number) => string;
  /** The requests of each client; one by default. */
  readonly requests?: number;
  /** The statuses of responses; 503 may be one of them. */
  readonly statuses: readonly number[];
  readonly rows: number;
  readonly padding?: string;
  readonly faults?: readonly object[];
}

const CROWDS: readonly Crowd[] = [
  {
    title: 'send a content of 60 kB',
    clients: 400,
    bytes: () => createRequest({ body: LONG_CONTENT }),
    statuses: [201, 503],
    rows: 100,
  },
  {
    title: 'pipeline sixty contents of 3 kB',
    clients: 40,
    bytes: () => createRequest({ body: `{"title":"x"}${' '.repeat(3_000)}` }).repeat(60),
    requests: 60,
    statuses: [201, 503],
    rows: 100,
  },
  {
    title: 'pipeline them behind a delay',
    clients: 40,
    bytes: () => createRequest({ body: `{"title":"x"}${' '.repeat(3_000)}` }).repeat(60),
    requests: 60,
    statuses: [201, 503],
    rows: 100,
    faults: [{ method: 'POST', path: LIST, delayMs: 500, times: 40 }],
  },
  {
    title: 'ask for a list whose response is delayed',
    clients: 60,
    bytes: () => getRequest(LIST),
    statuses: [200, 503],
    rows: 5_000,
    padding: 'd'.repeat(450),
    faults: [{ method: 'GET', path: LIST, responseDelayMs: 1_000 }],
  },
  {
    title: 'ask for sorted pages',
    clients: 400,
    bytes: () => getRequest(`${LIST}?sort=description,-title&limit=100`),
    statuses: [200, 503],
    rows: 5_000,
    padding: 'd'.repeat(450),
  },
  {
    title: 'ask for sorted pages with 20 KiB of header fields',
    clients: 1_500,
    bytes: () => getRequest(`${LIST}?sort=description,-title&limit=100`, LONG_FIELDS),
    statuses: [200, 503],
    rows: 5_000,
    padding: 'd'.repeat(450),
  },
  {
    title: 'search and sort tens of thousands of items',
    clients: 20,
    bytes: (i) => getRequest(`${LIST}?search=todo&sort=-title,priority&title.contains=${i % 10}`),
    statuses: [200, 503],
    rows: 40_000,
  },
  {
    title: 'change all items',
    clients: 130,
    bytes: (i) => patchAll(i + 1, `{"completed":${i % 2 === 0}}`),
    statuses: [200, 503],
    rows: 10_000,
  },
];

describe('in a heap of 64 MiB, each request gets a response, and a reset succeeds beside them', () => {
  for (const crowd of CROWDS) {
    it(`${crowd.clients} clients ${crowd.title}`, async (test) => {
      const { port, baseUrl } = await startFilled(test, crowd.rows, crowd.padding);
      if (crowd.faults) await admin(baseUrl, 'PUT', '/admin/faults', { faults: crowd.faults });
      const clients: RawClient[] = [];
      for (let i = 0; i < crowd.clients; i++) {
        clients.push((await RawClient.connect(port)).send(crowd.bytes(i)));
      }
      const reset = admin(baseUrl, 'POST', '/admin/reset');
      const { requests = 1 } = crowd;
      let refused = 0;
      for (const client of clients) {
        const responses = await client.take(requests);
        const last = responses.at(-1);
        // A response after which the connection closes is the last one.
        const isWhole = responses.length === requests || last?.headers.connection === 'close';
        assert(isWhole, `${responses.length} responses, then the end of the connection`);
        for (const { status, text } of responses) {
          assert(crowd.statuses.includes(status), text);
          // Without content, a newcomer was refused for the lack of a connection.
          if (status === 503 && text !== '') refused++;
        }
        client.destroy();
      }
      await reset;
      test.diagnostic(`${refused} refused`);
      const metrics = await (await fetch(`${baseUrl}/metrics`)).text();
      assert.equal(sumOf(metrics, 'todo_requests_refused_total', 'connections'), refused);
      // At the limit of connections, those that wait for nothing are closed.
      assert.equal(sumOf(metrics, 'todo_connections_cut_total', 'idle'), 0);
    });
  }
});

it('in a heap of 64 MiB, all of 75,000 items can be changed', async (test) => {
  const { port } = await startFilled(test, 0);
  const client = await RawClient.connect(port);
  const batch = JSON.stringify(Array.from({ length: 100 }, (_, i) => ({ title: `task ${i}` })));
  const path = `${LIST}/batch`;
  for (let rows = 0; rows < 75_000; rows += 100) {
    const created = await client.send(createRequest({ path, body: batch })).next();
    assert.equal(created?.status, 201, created?.text);
  }
  for (const completed of [true, false, true]) {
    const response = await client.send(patchAll(1, `{"completed":${completed}}`)).next();
    assert.equal(response?.status, 200, response?.text);
  }
  client.destroy();
});

it('in a heap of 64 MiB, a stream stays open when 12,000 items change', async (test) => {
  const { port } = await startFilled(test, 12_000);
  const stream = await RawClient.connect(port);
  test.after(() => stream.destroy());
  let text = '';
  const isReset = new Promise<void>((resolve) => {
    stream.socket.on('data', (bytes) => {
      text += bytes.toString('latin1');
      if (text.includes('event: reset')) resolve();
    });
  });
  stream.ignore().send(getRequest(EVENTS));
  const client = await RawClient.connect(port);
  const response = await client.send(patchAll(1, '{"priority":1}')).next();
  assert.equal(response?.status, 200, response?.text);
  client.destroy();
  await isReset;
  assert(!stream.hasEnded);
});

/** Clients that send half of their content and wait, and one that sends all of its own. */
it('who sends nothing more gets 408 when others want the room', async (test) => {
  const { port } = await startFilled(test, 100);
  const half = createRequest({ body: LONG_CONTENT }).slice(0, -30_000);
  const silent: RawClient[] = [];
  for (let i = 0; i < 200; i++) silent.push((await RawClient.connect(port)).send(half));
  // The room is free a second after somebody has wanted it.
  await until('a content has room', async () => {
    const client = await RawClient.connect(port);
    const response = await client.send(createRequest({ body: LONG_CONTENT })).next();
    client.destroy();
    return response?.status === 201;
  });
  const answered = silent.filter(({ hasEnded }) => hasEnded);
  assert(answered.length > 0);
  for (const client of answered) {
    const response = await client.next();
    assert([408, 503].includes(response?.status ?? 0), response?.text);
  }
  for (const client of silent) client.destroy();
});

async function startFilled(test: TestContext, rows: number, padding?: string) {
  const env = {
    NODE_OPTIONS: '--max-old-space-size=64',
    MAX_BYTES: '19500000',
    MAX_ROWS: '1000000',
    ADMIN_TOKEN: TOKEN,
  };
  const service = new ServiceProcess(test, ['--port=0'], env);
  const baseUrl = await service.baseUrl();
  const port = Number(new URL(baseUrl).port);
  await fill(port, rows, padding);
  return { port, baseUrl };
}

async function admin(baseUrl: string, method: string, path: string, content?: unknown) {
  const headers = { ...AUTHORIZED, 'content-type': 'application/json' };
  const body = content === undefined ? null : JSON.stringify(content);
  await until(`${method} ${path}`, async () => {
    const response = await fetch(baseUrl + path, { method, headers, body });
    const text = await response.text();
    // Without a free connection, a newcomer gets 503 without content.
    assert(response.ok || (response.status === 503 && text === ''), text);
    return response.ok;
  });
}

/** The sum of a counter over its reasons but one. */
function sumOf(metrics: string, name: string, exceptFor: string): number {
  const values = metrics.matchAll(new RegExp(`^${name}\\{reason="(.*)"\\} (\\d+)$`, 'gm'));
  return [...values]
    .filter(([, reason]) => reason !== exceptFor)
    .reduce((sum, [, , value]) => sum + Number(value), 0);
}
