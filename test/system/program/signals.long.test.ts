import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { clientFor } from '../../support/client.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { LIST } from '../../support/paths.ts';
import { freePorts } from '../../support/ports.ts';
import { ServiceProcess } from '../../support/process.ts';
import { getRequest } from '../../support/raw-requests.ts';
import { until } from '../../support/until.ts';

/** A service whose list is too large for any socket buffer, and a client that does not read it. */
async function serviceWithAStuckAnswer(
  test: TestContext,
  env: NodeJS.ProcessEnv,
): Promise<ServiceProcess> {
  const seedFile = join(temporaryFolder(), 'seed.json');
  const item = { title: 'x', description: '😀'.repeat(1000) };
  writeFileSync(seedFile, JSON.stringify(Array.from({ length: 5_000 }, () => item)));
  const service = new ServiceProcess(test, ['--port', '0'], { SEED_FILE: seedFile, ...env });
  const baseUrl = await service.baseUrl();
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname).on('error', () => {});
  test.after(() => socket.destroy());
  socket.write(getRequest(LIST));
  await new Promise((resolve) => socket.once('readable', resolve));
  return service;
}

describe('a process that is told to stop while a client does not read', () => {
  it('cuts connections at the deadline, and exits with status 1', async (test) => {
    const service = await serviceWithAStuckAnswer(test, { DRAIN_TIMEOUT_MS: '200' });
    service.signal('SIGTERM');
    const { status, stdout } = await service.exit;
    assert.equal(status, 1);
    assert.match(stdout, /stopped at the deadline/);
  });

  it('exits at once on a second signal', async (test) => {
    const service = await serviceWithAStuckAnswer(test, { DRAIN_TIMEOUT_MS: '3600000' });
    service.signal('SIGTERM');
    // Again and again, since a process that stands still gets several as one.
    const again = setInterval(() => service.signal('SIGTERM'), 200);
    test.after(() => clearInterval(again));
    assert.equal((await service.exit).status, 1);
  });

  for (const [first, second] of [
    ['SIGINT', 'SIGINT'],
    ['SIGHUP', 'SIGTERM'],
    ['SIGINT', 'SIGHUP'],
  ] as const) {
    it(`treats ${first} and ${second} at once as one signal`, async (test) => {
      // Within the process, where nothing can come between them.
      const signals = `process.once('${first}', () => process.emit('${second}'))`;
      const service = await serviceWithAStuckAnswer(test, {
        DRAIN_TIMEOUT_MS: '500',
        NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(signals)}`,
      });
      service.signal(first);
      const { status, stdout } = await service.exit;
      assert.equal(status, 1);
      assert.match(stdout, /stopped at the deadline/, 'it drained until then');
    });
  }
});

it('a process whose output goes to a full disk serves, and stops gracefully', async (test) => {
  const full = openSync('/dev/full', 'w');
  test.after(() => closeSync(full));
  const [port = 0] = await freePorts(1);
  const child = spawn(process.execPath, ['dist/main.js', `--port=${port}`], {
    stdio: ['ignore', full, full],
  });
  test.after(() => child.kill('SIGKILL'));
  const client = clientFor(test, `http://127.0.0.1:${port}`);
  await until('it is ready', async () => (await client.get('/readyz')).status === 200);
  child.kill('SIGTERM');
  const [status] = await once(child, 'exit');
  assert.equal(status, 0);
});
