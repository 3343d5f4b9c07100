import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { AUTHORIZED, TOKEN } from '../../support/admin.ts';
import { heapFlags } from '../../support/heap.ts';
import { EVENTS, LIST } from '../../support/paths.ts';
import { ServiceProcess } from '../../support/process.ts';
import { RawClient } from '../../support/raw.ts';
import { createRequest, getRequest } from '../../support/raw-requests.ts';
import { VARIANTS } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { fill } from './fill.ts';

/** So many that the service must keep a list of 5 MB, because the system buffers less. */
const ROWS = 5_000;

const filters = (count: number, filter: string) =>
  Array.from({ length: count }, (_, i) => `${filter}=${i % 10}`).join('&');

const chunked = (content: string) =>
  createRequest({ fields: 'Transfer-Encoding: chunked\r\n', body: content });

const SMALL_CHUNKS = '1\r\nx\r\n'.repeat(60_000);

/**
 * Requests that take far more memory than they have bytes, unless it is bounded or counted. Their
 * clients do not read.
 */
const COSTLY = [
  { who: 'lists', count: 300, bytes: getRequest(LIST) },
  {
    who: 'thousands of requests in one segment',
    count: 500,
    bytes: 'GET /livez HTTP/1.1\r\nHost:\r\n\r\n'.repeat(2_000),
  },
  {
    who: 'hundreds of requests with content in one segment',
    count: 500,
    bytes: 'GET /livez HTTP/1.1\r\nHost:\r\nContent-Length:1\r\n\r\nx'.repeat(1_200),
  },
  { who: 'content in chunks of one byte', count: 40, bytes: chunked(SMALL_CHUNKS) },
  {
    who: 'content in chunks of one byte that waits',
    count: 40,
    bytes: getRequest(EVENTS) + chunked(SMALL_CHUNKS),
  },
  {
    who: 'content in chunks of one byte behind the last request',
    count: 60,
    bytes: getRequest(LIST) + getRequest('/livez').repeat(65) + chunked(SMALL_CHUNKS),
  },
  {
    who: 'partial header sections of many fields',
    count: 1_000,
    bytes: getRequest('/livez', 'a:b\r\n'.repeat(3_000)).slice(0, -2),
  },
  {
    who: 'partial trailer sections of many fields',
    count: 300,
    bytes: chunked(`1\r\nx\r\n0\r\n${'a:b\r\n'.repeat(3_000)}`),
  },
  {
    who: 'lists with hundreds of filters',
    count: 200,
    bytes: getRequest(`${LIST}?${filters(490, 'title.contains')}`),
  },
  {
    who: 'lists with thousands of operands',
    count: 300,
    bytes: getRequest(`${LIST}?id.notIn=${'9,'.repeat(3_500)}9&title.contains=x`),
  },
  {
    who: 'lists with hundreds of sort keys',
    count: 200,
    bytes: getRequest(`${LIST}?sort=${'description,'.repeat(680)}title&limit=1`),
  },
  {
    who: 'removals with hundreds of filters',
    count: 200,
    bytes: getRequest(`${LIST}?${filters(490, 'title.contains')}`).replace('GET', 'DELETE'),
  },
] as const;

for (const { name } of VARIANTS) {
  it(`variant ${name} with a heap of 64 MiB serves after them`, async (test) => {
    const env = { NODE_OPTIONS: heapFlags(64) };
    const service = new ServiceProcess(test, ['--port=0', `--variant=${name}`], env);
    const port = Number(new URL(await service.baseUrl()).port);
    await fill(port, ROWS, '.'.repeat(900));
    for (const { who, count, bytes } of COSTLY) {
      const clients: RawClient[] = [];
      for (let i = 0; i < count; i++) {
        const client = await RawClient.connect(port);
        client.ignore().socket.pause();
        clients.push(client.send(bytes));
      }
      await sleep(500);
      for (const client of clients) client.destroy();
      const died = await Promise.race([service.exit, undefined]);
      assert.equal(died?.stderr, undefined, who);
      assert.equal(await statusOnceFree(port), 200, who);
      const hasOne = async () => (await openConnections(port)) === 1;
      await until(`no connection of ${who} is left`, hasOne, { withinMs: 30_000 });
    }
  });
}

it('resets with 0.8 MiB of content get an answer in a heap of 64 MiB', async (test) => {
  const env = { NODE_OPTIONS: heapFlags(64), ADMIN_TOKEN: TOKEN, STRICT: 'off' };
  const service = new ServiceProcess(test, ['--port=0'], env);
  const baseUrl = await service.baseUrl();
  const costly = '{"title":"x","a":[[[[]]],{},{},{}]}';
  for (const [item, clients, status] of [
    [costly, 1, 204],
    [costly, 4, 204],
    ['{"title":""}', 4, 400],
    ['{}', 4, 400],
    ['1', 4, 400],
  ] as const) {
    const count = Math.floor((0.8 * 1024 * 1024) / (item.length + 1));
    const body = `[${Array(count).fill(item).join()}]`;
    const reset = async () => {
      const headers = { ...AUTHORIZED, 'content-type': 'application/json' };
      const response = await fetch(`${baseUrl}/admin/reset`, { method: 'POST', headers, body });
      return response.status;
    };
    const statuses = await Promise.all(Array.from({ length: clients }, reset));
    // Beside others, the heap may be nearly full by what they have left behind.
    const allowed = clients === 1 ? [status] : [status, 503];
    assert(
      statuses.includes(status) && statuses.every((each) => allowed.includes(each)),
      `${item}: ${statuses}`,
    );
  }
});

/** The connections of the service, the one that asks among them. */
async function openConnections(port: number): Promise<number> {
  const client = await RawClient.connect(port);
  const metrics = (await client.send(getRequest('/metrics')).next())?.text ?? '';
  client.destroy();
  return Number(/^todo_open_connections (\d+)$/m.exec(metrics)?.[1]);
}

/** The status of a list after the memory of earlier clients has been freed. */
async function statusOnceFree(port: number): Promise<number | undefined> {
  for (let tries = 100; ; tries--) {
    const client = await RawClient.connect(port);
    const response = await client.send(getRequest(LIST)).next();
    client.destroy();
    const isBusy = response === undefined || response.status === 503;
    if (!isBusy || tries === 0) return response?.status;
    await sleep(100);
  }
}
