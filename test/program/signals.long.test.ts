import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { LIST } from '../support/paths.ts';
import { ServiceProcess } from '../support/process.ts';
import { getRequest } from '../support/raw-requests.ts';

/** A service whose list is too large for any socket buffer, and a client that does not read it. */
async function serviceWithAStuckAnswer(
  test: TestContext,
  env: NodeJS.ProcessEnv,
): Promise<ServiceProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'todo-service-'));
  test.after(() => rmSync(folder, { recursive: true }));
  const seedFile = join(folder, 'seed.json');
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
    setTimeout(() => service.signal('SIGTERM'), 200);
    assert.equal((await service.exit).status, 1);
  });

  it('treats a signal sent twice at once as one', async (test) => {
    const service = await serviceWithAStuckAnswer(test, { DRAIN_TIMEOUT_MS: '500' });
    service.signal('SIGINT');
    setTimeout(() => service.signal('SIGINT'), 5);
    const { status, stdout } = await service.exit;
    assert.equal(status, 1);
    assert.match(stdout, /stopped at the deadline/, 'it drained until then');
  });
});
