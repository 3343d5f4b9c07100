import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { it } from 'node:test';
import { clientFor } from '../../support/client.ts';
import { UNCOUNTED } from '../../support/process.ts';

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

it('a terminal that is not read costs log lines only', {
  skip: SKIP,
}, async (test) => {
  const program = `exec ${process.execPath} dist/main.js --port=0 --access-log=on`;
  const terminal = spawn('script', ['-qec', program, '/dev/null'], {
    env: { ...process.env, ...UNCOUNTED },
  });
  test.after(() => terminal.kill('SIGKILL'));
  const lines = createInterface(terminal.stdout);
  const [line] = await once(lines, 'line');
  const { pid, port } = JSON.parse(line);
  terminal.stdout.pause();
  const client = clientFor(test, `http://127.0.0.1:${port}`);
  for (let i = 0; i < REQUESTS; i++) assert.equal((await client.get('/livez')).status, 200);
  process.kill(pid, 'SIGTERM');
  terminal.stdout.resume();
  const [status] = await once(terminal, 'exit');
  assert.equal(status, 0);
});
