import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { get } from 'node:http';
import { join } from 'node:path';
import { it } from 'node:test';
import { listening } from '../../support/process.ts';
import { Example } from './example.ts';

it('gateways: the command starts a service for the host of its README', async (test) => {
  const example = await Example.clone('gateways');
  const root = join(example.folder, '../..');
  const shown = 'npm ci && npm start -- --base-path /todo --allowed-hosts abc.example';
  await example.run([[shown, 'npm ci --prefix ../..']]);
  const args = ['start', '--', '--base-path', '/todo', '--allowed-hosts', 'abc.example'];
  const npm = spawn('npm', [...args, '--port=0'], { cwd: root, detached: true });
  test.after(() => process.kill(-Number(npm.pid), 'SIGKILL'));
  const { port } = (await listening(npm.stdout)) ?? assert.fail('it does not start');
  for (const [host, expected] of [
    ['abc.example', 200],
    ['xyz.example', 421],
  ] as const) {
    const options = { host: '127.0.0.1', port, path: '/todo/api/todos', headers: { host } };
    const status = await new Promise((resolve) =>
      get(options, (response) => resolve(response.resume().statusCode)),
    );
    assert.equal(status, expected, host);
  }
  await example.end();
});
