import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { Client, type Todo } from '../support/client.ts';
import { freePorts } from '../support/ports.ts';
import { startApp, VARIANTS } from '../support/service.ts';

/** nginx as a gateway that caches. */
const configOf = (folder: string, port: number, upstream: number) => `
user root; daemon off; pid ${folder}/pid; error_log ${folder}/error.log;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi; uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
  proxy_cache_path ${folder}/cache keys_zone=lists:1m;
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://127.0.0.1:${upstream};
      proxy_cache lists;
      proxy_cache_valid 200 1h;
      proxy_ignore_headers Cache-Control Vary;
      add_header X-Cache $upstream_cache_status;
    }
  }
}`;

async function behindNginx(test: TestContext, upstream: number): Promise<Client> {
  const folder = mkdtempSync(join(tmpdir(), 'nginx-'));
  mkdirSync(join(folder, 'cache'));
  const [port = 0] = await freePorts(1);
  const config = join(folder, 'nginx.conf');
  writeFileSync(config, configOf(folder, port, upstream));
  const nginx = spawn('nginx', ['-c', config, '-e', join(folder, 'error.log')], {
    env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` },
  });
  const ended = once(nginx, 'exit');
  const client = new Client(`http://127.0.0.1:${port}`);
  test.after(async () => {
    await client.close();
    nginx.kill();
    await ended;
    rmSync(folder, { recursive: true });
  });
  const isUp = () =>
    client.get('/livez').then(
      () => true,
      () => false,
    );
  while (!(await isUp())) assert.equal(nginx.exitCode, null, 'nginx runs');
  return client;
}

for (const variant of VARIANTS) {
  describe(`QUERY through nginx, variant ${variant.name.toUpperCase()}`, () => {
    it('arrives with its content, and is never cached, not even where GET is', async (test) => {
      const { port } = await startApp(test, variant);
      const client = await behindNginx(test, port);
      const list = variant.api.collection;
      const query = (value: unknown, headers = {}) =>
        client.request('QUERY', list, {
          headers: { 'content-type': 'application/json', ...headers },
          body: JSON.stringify(value),
        });
      const count = async () => (await query({ where: { priority: 5 } })).json<Todo[]>().length;
      await client.post(list, { title: 'first', priority: 5 });
      assert.equal(await count(), 1);
      const get = () => client.get(`${list}?priority=5`);
      assert.equal((await get()).json<Todo[]>().length, 1);
      await client.post(list, { title: 'second', priority: 5 });
      assert.equal((await get()).headers['x-cache'], 'HIT', 'this gateway does cache');
      assert.equal(await count(), 2);

      const answer = await query({ where: { priority: 5 }, limit: 1 });
      assert.equal(answer.headers['x-total-count'], '2');
      assert.match(String(answer.headers['accept-query']), /application\/json/);
      const tag = String(answer.headers.etag);
      const again = await query({ where: { priority: 5 }, limit: 1 }, { 'if-none-match': tag });
      assert.equal(again.status, 304);
      assert.equal(again.headers.location, answer.headers.location);
      assert.equal((await query({ where: { nope: 1 } })).status, 422);
      assert.equal((await client.delete(`${list}?priority=5`)).text, '{"deleted":2}');
      assert.equal(await count(), 0);
    });
  });
}
