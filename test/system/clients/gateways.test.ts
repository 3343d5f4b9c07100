import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { variantA } from '../../../src/service/todo/variant-a.ts';
import { Client } from '../../support/client.ts';
import { EventClient } from '../../support/events.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { nginxConfig } from '../../support/nginx.ts';
import { freePorts } from '../../support/ports.ts';
import { startApp } from '../../support/service.ts';
import { until } from '../../support/until.ts';

/** The configurations of examples/gateways, with the gateways that Debian has. */

const BASE = '/todo';
const LIST = `${BASE}/api/todos`;

/** A gateway, and its example, which tests copy with other ports. */
interface Gateway {
  readonly name: string;
  readonly example: string;
  readonly command: (config: string, folder: string) => readonly [string, ...string[]];
  readonly whole?: (folder: string, example: string) => string;
}

const GATEWAYS: readonly Gateway[] = [
  {
    name: 'nginx',
    example: 'nginx.conf',
    command: (config, folder) => ['nginx', '-c', config, '-e', join(folder, 'error.log')],
    whole: nginxConfig,
  },
  {
    name: 'HAProxy',
    example: 'haproxy.cfg',
    command: (config) => ['haproxy', '-db', '-f', config],
  },
];

/** Starts a gateway with its example before a service, and returns where it listens. */
async function startGateway(test: TestContext, gateway: Gateway, upstream: number) {
  const folder = temporaryFolder();
  const [port = 0] = await freePorts(1);
  const example = readFileSync(
    new URL(`../../../examples/gateways/${gateway.example}`, import.meta.url),
    'utf8',
  )
    .replace('127.0.0.1:8080', `127.0.0.1:${upstream}`)
    .replace('listen 80;', `listen 127.0.0.1:${port};`)
    .replace('bind :80\n', `bind 127.0.0.1:${port}\n`);
  const config = join(folder, gateway.example);
  writeFileSync(config, gateway.whole?.(folder, example) ?? example);
  const [program, ...args] = gateway.command(config, folder);
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };
  const child = spawn(program, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = once(child, 'exit');
  const client = new Client(`http://127.0.0.1:${port}`);
  test.after(async () => {
    await client.close();
    child.kill();
    await ended;
  });
  await until(`${program} answers`, async () => (await client.get(`${BASE}/livez`)).status === 200);
  return { client, port };
}

/** The answer to a request that accepts gzip, decoded. */
async function getCompressed(port: number, path: string) {
  const sent = request({ host: '127.0.0.1', port, path, headers: { 'accept-encoding': 'gzip' } });
  sent.end();
  const [answer] = await once(sent, 'response');
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk);
  assert.equal(answer.headers['content-encoding'], 'gzip');
  const text = gunzipSync(Buffer.concat(chunks)).toString();
  return { text, tag: String(answer.headers.etag) };
}

for (const gateway of GATEWAYS) {
  describe(`behind ${gateway.name}`, () => {
    const start = async (test: TestContext) => {
      const env = { BASE_PATH: BASE, ALLOWED_HOSTS: 'abc.example' };
      const service = await startApp(test, variantA, { env });
      return { service, ...(await startGateway(test, gateway, service.port)) };
    };

    it('paths are the paths of the service, below its base', async (test) => {
      const { client } = await start(test);
      const created = await client.post(LIST, { title: 'x' });
      assert.equal(created.headers.location, `${LIST}/1`);
      assert.equal((await client.get(`${LIST}/1`)).status, 200);
      assert.equal((await client.get(BASE)).headers.location, `${BASE}/`);
      assert.equal((await client.get(`${BASE}/`, { accept: 'text/html' })).status, 200);
      assert.notEqual((await client.get('/api/todos')).status, 200);
    });

    it('the host that a client uses is served, if it is in ALLOWED_HOSTS', async (test) => {
      const { port } = await start(test);
      for (const [host, status] of [
        ['abc.example', 200],
        ['xyz.example', 421],
      ] as const) {
        const sent = request({ host: '127.0.0.1', port, path: LIST, headers: { host } });
        const [answer] = await once(sent.end(), 'response');
        assert.equal(answer.resume().statusCode, status, host);
      }
    });

    it('a tag that compression has weakened still matches', async (test) => {
      const { client, port } = await start(test);
      await client.post(LIST, { title: 'long enough'.repeat(10) });
      const { text, tag } = await getCompressed(port, `${LIST}/1`);
      assert.equal(JSON.parse(text).id, 1);
      assert.match(tag, /^W\/"/);
      const headers = { 'if-match': tag, 'content-type': 'application/json' };
      const put = (title: string) =>
        client.request('PUT', `${LIST}/1`, { headers, body: JSON.stringify({ title }) });
      assert.equal((await put('first')).status, 200);
      assert.equal((await put('second')).status, 412, 'it has changed');
      const { tag: present } = await getCompressed(port, `${LIST}?title.ne=${'x'.repeat(200)}`);
      const same = { 'if-none-match': present, 'accept-encoding': 'gzip' };
      const again = await client.get(`${LIST}?title.ne=${'x'.repeat(200)}`, same);
      assert.equal(again.status, 304);
    });

    it('events arrive at once', async (test) => {
      const { client, port } = await start(test);
      const events = await EventClient.open(
        `http://127.0.0.1:${port}`,
        undefined,
        `${LIST}/events`,
      );
      test.after(() => events.close());
      assert.equal((await events.next()).event, 'ready');
      const delays: number[] = [];
      for (let i = 0; i < 5; i++) {
        const start = performance.now();
        await client.post(LIST, { title: 'x' });
        assert.equal((await events.next()).event, 'put');
        delays.push(performance.now() - start);
      }
      // The service itself waits for 40 ms.
      assert(Math.min(...delays) < 150, `the delays are ${delays.map(Math.round)} ms`);
    });
  });
}
