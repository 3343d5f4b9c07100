import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { localDateTimeNow } from '../src/todo/local-date-time.ts';
import { Client } from './support/client.ts';
import { ServiceProcess } from './support/process.ts';
import { serviceFor, VARIANTS } from './support/service.ts';

/** A service with so many bytes to list that no socket buffer holds them, and a client that does not read them. */
async function serviceWithAStuckAnswer(
  test: TestContext,
  env: NodeJS.ProcessEnv,
): Promise<ServiceProcess> {
  const service = new ServiceProcess(test, ['--port', '0'], env);
  const baseUrl = await service.baseUrl();
  const client = new Client(baseUrl);
  test.after(() => client.close());
  const todo = { title: 'x', description: '😀'.repeat(1000) };
  await Promise.all(Array.from({ length: 5_000 }, () => client.post('/api/todos', todo)));
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname).on('error', () => {});
  test.after(() => socket.destroy());
  socket.write('GET /api/todos HTTP/1.1\r\nHost: x\r\n\r\n');
  await new Promise((resolve) => socket.once('readable', resolve));
  return service;
}

describe('the process', () => {
  it('says where it listens, in a JSON line', async (test) => {
    const service = new ServiceProcess(test, ['--port', '0', '--variant', 'b']);
    const client = new Client(await service.baseUrl());
    test.after(() => client.close());
    assert.equal((await client.get('/readyz')).status, 200);
    service.signal('SIGTERM');
    const { stdout, stderr } = await service.exit;
    assert.equal(stderr, '');
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      lines.map(({ message }) => message),
      ['listening', 'draining', 'stopped'],
    );
    assert.equal(lines[0].variant, 'b');
    for (const { time, level } of lines) {
      assert.equal(new Date(time).toISOString(), time);
      assert.equal(level, 'info');
    }
  });

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`ends with status 0 on ${signal}`, async (test) => {
      const service = new ServiceProcess(test, ['--port=0']);
      await service.baseUrl();
      service.signal(signal);
      assert.equal((await service.exit).status, 0);
    });
  }

  it('cuts what is left at the deadline, and ends with status 1', async (test) => {
    const service = await serviceWithAStuckAnswer(test, { DRAIN_TIMEOUT_MS: '200' });
    service.signal('SIGTERM');
    const { status, stdout } = await service.exit;
    assert.equal(status, 1);
    assert.match(stdout, /stopped at the deadline/);
  });

  it('ends at once on a second signal', async (test) => {
    const service = await serviceWithAStuckAnswer(test, { DRAIN_TIMEOUT_MS: '3600000' });
    service.signal('SIGTERM');
    setTimeout(() => service.signal('SIGTERM'), 200);
    assert.equal((await service.exit).status, 1);
  });

  it('refuses a bad setting with one line on standard error and status 2', async (test) => {
    for (const [args, env] of [
      [['--port', 'x'], {}],
      [[], { VARIANT: 'c' }],
      [['--unknown'], {}],
    ] as const) {
      const { status, stdout, stderr } = await new ServiceProcess(test, args, env).exit;
      assert.equal(status, 2);
      assert.equal(stdout, '');
      assert.match(stderr, /^todo-service: .+\n$/);
    }
  });

  it('says in one line that its port is in use, with status 1', async (test) => {
    const [variant] = VARIANTS;
    assert(variant);
    const { port } = await serviceFor(test, variant);
    const { status, stderr } = await new ServiceProcess(test, [
      '--host=127.0.0.1',
      `--port=${port}`,
    ]).exit;
    assert.equal(status, 1);
    assert.equal(stderr, `todo-service: port ${port} is in use\n`);
  });

  it('says in one line that its address cannot be had, with status 1', async (test) => {
    const { status, stderr } = await new ServiceProcess(test, ['--host=192.0.2.1', '--port=0'])
      .exit;
    assert.equal(status, 1);
    assert.match(stderr, /^todo-service: cannot listen .+\n$/);
  });

  it('prints its help and its version', async (test) => {
    const help = await new ServiceProcess(test, ['--help']).exit;
    assert.equal(help.status, 0);
    assert.match(help.stdout, /--max-rows +MAX_ROWS/);
    const version = await new ServiceProcess(test, ['--version']).exit;
    assert.equal(version.status, 0);
    assert.match(version.stdout, /^\d+\.\d+\.\d+\n$/);
  });

  it('makes createdAt local by TZ, be it a variable or a flag', async (test) => {
    for (const [args, env] of [
      [[], { TZ: 'Asia/Tokyo' }],
      [['--tz', 'Asia/Tokyo'], { TZ: 'America/New_York' }],
    ] as const) {
      const service = new ServiceProcess(test, ['--port=0', '--variant=b', ...args], env);
      const client = new Client(await service.baseUrl());
      test.after(() => client.close());
      const before = Date.now();
      const { createdAt = '' } = (await client.post('/api/todos', { title: 'x' })).json();
      const moment = Date.parse(`${createdAt}+09:00`);
      assert(
        moment >= before && moment <= Date.now(),
        `${createdAt} is not ${localDateTimeNow()} in Tokyo`,
      );
    }
  });
});
