import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { it, type TestContext } from 'node:test';
import { clientFor } from '../../support/client.ts';
import { UNCOUNTED } from '../../support/process.ts';
import { until } from '../../support/until.ts';

/** They log more than all buffers between the service and this test can hold. */
const REQUESTS = 2_000;

const SKIP = hasScript() ? false : 'needs script of util-linux to make a terminal';

function hasScript(): boolean {
  try {
    return execFileSync('script', ['--version'], { encoding: 'utf8' }).includes('util-linux');
  } catch {
    return false;
  }
}

/** Starts the service in a terminal. */
async function start(test: TestContext, flags = '') {
  const program = `exec ${process.execPath} dist/main.js --port=0 ${flags}`;
  const terminal = spawn('script', ['-qec', program, '/dev/null'], {
    env: { ...process.env, CI: '', ...UNCOUNTED },
  });
  test.after(() => terminal.kill('SIGKILL'));
  const lines: string[] = [];
  createInterface(terminal.stdout).on('line', (line) => lines.push(line));
  await until('two lines', async () => lines.length >= 2);
  const [listening = '', open = ''] = lines;
  const { pid, port } = JSON.parse(listening);
  const client = clientFor(test, `http://127.0.0.1:${port}`);
  return { terminal, open, pid, client, exit: once(terminal, 'exit') };
}

it('a terminal shows the address of the page with the token of this run', {
  skip: SKIP,
}, async (test) => {
  const { open, pid, client, exit } = await start(test);
  const [, token] = /^Open http:\/\/localhost:\d+\/#token=([0-9a-f]{32}) \(/.exec(open) ?? [];
  const headers = { authorization: `Bearer ${token}` };
  assert.equal((await client.request('GET', '/admin/requests', { headers })).status, 200, open);
  assert.equal((await client.get('/admin/requests')).status, 401);
  process.kill(pid, 'SIGTERM');
  assert.deepEqual(await exit, [0, null]);
});

it('a terminal that is not read costs log lines only', {
  skip: SKIP,
}, async (test) => {
  const { terminal, pid, client, exit } = await start(test, '--access-log=on');
  terminal.stdout.pause();
  for (let i = 0; i < REQUESTS; i++) assert.equal((await client.get('/livez')).status, 200);
  process.kill(pid, 'SIGTERM');
  terminal.stdout.resume();
  assert.deepEqual(await exit, [0, null]);
});
