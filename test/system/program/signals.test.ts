import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { clientFor } from '../../support/client.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { LIST } from '../../support/paths.ts';
import { ServiceProcess } from '../../support/process.ts';
import { getRequest } from '../../support/raw-requests.ts';
import { happens } from '../../support/within.ts';

/** A service whose list is too large for any socket buffer, and a client that does not read it. */
async function serviceWithAStuckAnswer(
  test: TestContext,
  env: NodeJS.ProcessEnv,
): Promise<ServiceProcess> {
  const seedFile = join(temporaryFolder(), 'seed.json');
  const item = { title: 'x', description: '😀'.repeat(1000) };
  writeFileSync(seedFile, JSON.stringify(Array.from({ length: 2_000 }, () => item)));
  const service = new ServiceProcess(test, ['--port', '0'], { SEED_FILE: seedFile, ...env });
  const baseUrl = await service.baseUrl();
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname).on('error', () => {});
  test.after(() => socket.destroy());
  socket.write(getRequest(LIST));
  await happens(socket, 'readable');
  return service;
}

/** The settings of a process that loads modules first. */
function preloading(...modules: readonly string[]): NodeJS.ProcessEnv {
  const imports = modules.map((module) => `data:text/javascript,${encodeURIComponent(module)}`);
  return { NODE_OPTIONS: imports.map((each) => `--import=${each}`).join(' ') };
}

/** A process for which a minute passes when it gets SIGUSR2. Timers of a minute end then. */
const MINUTE = `
  import timers from 'node:timers';
  const { setTimeout } = timers;
  const now = performance.now.bind(performance);
  let passed = 0;
  const minute = new Promise((resolve) => process.once('SIGUSR2', resolve));
  minute.then(() => {
    passed = 60_000;
    console.log('"message":"a minute later"');
  });
  performance.now = () => now() + passed;
  timers.setTimeout = (callback, ms) => {
    if (ms < 50_000 || ms > 60_000) return setTimeout(callback, ms);
    minute.then(callback);
    return setTimeout(() => {}, ms);
  };`;

describe('a process that is told to stop', () => {
  it('cuts connections at the deadline, and exits with status 1', async (test) => {
    const env = { DRAIN_TIMEOUT_MS: '60000', ...preloading(MINUTE) };
    const service = await serviceWithAStuckAnswer(test, env);
    service.signal('SIGTERM');
    await service.logged('draining');
    const { status, stdout } = await service.stop('SIGUSR2');
    assert.equal(status, 1);
    assert.match(stdout, /stopped at the deadline/);
  });

  it('serves for the time of DRAIN_DELAY_MS, while it is not ready', async (test) => {
    const env = { DRAIN_DELAY_MS: '60000', ...preloading(MINUTE) };
    const service = new ServiceProcess(test, ['--port=0'], env);
    const client = clientFor(test, await service.baseUrl());
    service.signal('SIGTERM');
    await service.logged('draining');
    for (const [path, status] of [
      ['/readyz', 503],
      ['/livez', 200],
      [LIST, 200],
    ] as const) {
      const answer = await client.get(path);
      assert.deepEqual([answer.status, answer.headers.connection], [status, 'close'], path);
    }
    assert.equal((await service.stop('SIGUSR2')).status, 0);
  });

  it('exits at once on a second signal, with status 1', async (test) => {
    const env = { DRAIN_TIMEOUT_MS: '3600000', ...preloading(MINUTE) };
    const service = await serviceWithAStuckAnswer(test, env);
    service.signal('SIGTERM');
    await service.logged('draining');
    service.signal('SIGUSR2');
    await service.logged('a minute later');
    const { status, stdout } = await service.stop('SIGTERM');
    assert.equal(status, 1);
    assert.doesNotMatch(stdout, /stopped/);
  });

  it('exits at once on a signal that comes while it loads its seed', async (test) => {
    const seedFile = join(temporaryFolder(), 'seed.json');
    writeFileSync(seedFile, '[]');
    // SIGHUP is the last signal to get a listener, and then the seed is loaded.
    const early = `
      process.on('newListener', (name) => {
        if (name === 'SIGHUP') process.kill(process.pid, 'SIGTERM');
      });`;
    const { status, stdout } = await new ServiceProcess(test, ['--port=0'], {
      SEED_FILE: seedFile,
      ...preloading(early),
    }).exit;
    assert.deepEqual([status, stdout], [0, '']);
  });

  for (const [first, second] of [
    ['SIGINT', 'SIGINT'],
    ['SIGHUP', 'SIGTERM'],
  ] as const) {
    it(`treats ${first} and ${second} within 100 ms as one signal`, async (test) => {
      // Within the process, where nothing can come between them, and by a clock that stands still
      // meanwhile.
      const signals = `
        const now = performance.now.bind(performance);
        let stoppedAt;
        performance.now = () => stoppedAt ?? now();
        process.once('${first}', () => {
          stoppedAt = now();
          process.emit('${second}');
          stoppedAt += 60;
          setImmediate(() => { stoppedAt = undefined; });
        });`;
      const env = { DRAIN_TIMEOUT_MS: '60000', ...preloading(MINUTE, signals) };
      const service = await serviceWithAStuckAnswer(test, env);
      service.signal(first);
      await service.logged('draining');
      const { status, stdout } = await service.stop('SIGUSR2');
      assert.equal(status, 1);
      assert.match(stdout, /stopped at the deadline/, 'it drained until then');
    });
  }
});
