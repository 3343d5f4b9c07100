import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { variableOf } from '../../../src/lib/config/index.ts';
import { localDateTime } from '../../../src/service/resource/date-time.ts';
import { SETTINGS } from '../../../src/service/settings/settings.ts';
import { Client } from '../../support/client.ts';
import { itemPath, LIST } from '../../support/paths.ts';
import { ServiceProcess } from '../../support/process.ts';
import { serviceFor, UNKNOWN_VARIANT, VARIANTS } from '../../support/service.ts';

describe('the process', { concurrency: 3 }, () => {
  it('logs its address as a line of JSON', async (test) => {
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

  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    it(`exits with status 0 on ${signal}`, async (test) => {
      const service = new ServiceProcess(test, ['--port=0']);
      await service.baseUrl();
      service.signal(signal);
      assert.equal((await service.exit).status, 0);
    });
  }

  it('rejects an invalid setting with one line on standard error and status 2', async (test) => {
    const env = { VARIANT: UNKNOWN_VARIANT };
    const { status, stdout, stderr } = await new ServiceProcess(test, [], env).exit;
    assert.deepEqual({ status, stdout }, { status: 2, stdout: '' });
    assert.match(stderr, /^todo-service: .+\n$/);
  });

  it('starts from a seed; rejects an invalid one with one line and status 2', async (test) => {
    const folder = mkdtempSync(join(tmpdir(), 'todo-service-'));
    test.after(() => rmSync(folder, { recursive: true }));
    const seedFile = join(folder, 'seed.json');
    writeFileSync(seedFile, '[{"title":"seeded","completed":true},{"title":"another"}]');
    const service = new ServiceProcess(test, ['--port=0', '--seed-file', seedFile]);
    const client = new Client(await service.baseUrl());
    test.after(() => client.close());
    assert.equal((await client.get(itemPath(1))).json().completed, true);
    service.signal('SIGTERM');
    assert.equal((await service.exit).status, 0);

    const bad = new ServiceProcess(test, [], { SEED_FILE: join(folder, 'two\nlines') });
    const { status, stdout, stderr } = await bad.exit;
    assert.deepEqual({ status, stdout }, { status: 2, stdout: '' });
    assert.match(stderr, /^todo-service: the seed file .+two lines .*no such file.*\n$/);
  });

  it('rejects files for etcd that cannot be used with one line and status 2', async (test) => {
    const args = ['--store=etcd', '--etcd-ca=/none'];
    const { status, stdout, stderr } = await new ServiceProcess(test, args).exit;
    assert.deepEqual({ status, stdout }, { status: 2, stdout: '' });
    assert.match(
      stderr,
      /^todo-service: --etcd-ca cannot be read: ENOENT: no such file or directory\n$/,
    );
  });

  it('names the host that it cannot listen on', async (test) => {
    const service = new ServiceProcess(test, ['--port=0', '--host=nowhere.invalid']);
    const { status, stderr } = await service.exit;
    assert.equal(status, 2);
    assert.match(stderr, /^todo-service: --host must be .+, not "nowhere.invalid": .+\n$/);
  });

  it('never prints an invalid token', async (test) => {
    const env = { ADMIN_TOKEN: 'se cret' };
    const { status, stderr } = await new ServiceProcess(test, [], env).exit;
    assert.equal(status, 2);
    assert.match(stderr, /^todo-service: ADMIN_TOKEN must be .+\n$/);
    assert(!stderr.includes('cret'));
  });

  it('logs a line per request if told to', async (test) => {
    const service = new ServiceProcess(test, ['--port=0', '--access-log=on']);
    const client = new Client(await service.baseUrl());
    test.after(() => client.close());
    await client.get(`${LIST}?limit=1`, { 'x-request-id': 'mine' });
    service.signal('SIGTERM');
    const { stdout } = await service.exit;
    const [line] = stdout
      .trim()
      .split('\n')
      .map((each) => JSON.parse(each))
      .filter(({ message }) => message === 'request');
    const { time, durationMs, ...rest } = line;
    assert(durationMs >= 0 && new Date(time).toISOString() === time);
    assert.deepEqual(rest, {
      ...{ level: 'info', message: 'request', method: 'GET', target: `${LIST}?limit=1` },
      ...{ route: LIST, status: 200, contentBytes: 2 },
      ...{ clientAddress: '127.0.0.1', requestId: 'mine' },
    });
  });

  it('reports a port in use in one line, with status 1', async (test) => {
    const [variant] = VARIANTS;
    assert(variant);
    const { port } = await serviceFor(test, variant);
    const { status, stderr } = await new ServiceProcess(test, [
      '--host=127.0.0.1',
      `--port=${port}`,
    ]).exit;
    assert.equal(status, 1);
    assert.equal(stderr, `todo-service: --port ${port} is in use at --host 127.0.0.1\n`);
  });

  const isAllowed = !process.allowedNodeEnvironmentFlags.has('--allow-net');
  const skip = isAllowed && 'this Node always permits the network';
  for (const host of ['*', '127.0.0.1', 'localhost']) {
    it(`says that it may not listen, at ${host}`, { skip }, async (test) => {
      const env = { HOST: host, PORT: '0', NODE_OPTIONS: '--permission --allow-fs-read=*' };
      const { status, stdout, stderr } = await new ServiceProcess(test, [], env).exit;
      assert.deepEqual({ status, stdout }, { status: 2, stdout: '' });
      assert.match(stderr, /^todo-service: PORT 0 is not permitted: .+\n$/);
    });
  }

  it('reports an unavailable address in one line, with status 2', async (test) => {
    const env = { HOST: '192.0.2.1', PORT: '0' };
    const { status, stderr } = await new ServiceProcess(test, [], env).exit;
    assert.equal(status, 2);
    assert.match(stderr, /^todo-service: HOST must be .+, not "192.0.2.1": .+\n$/);
  });

  it('takes empty variables for none, and that of its image for the default', async (test) => {
    const names = Object.keys(SETTINGS).map(variableOf);
    const empty = Object.fromEntries(names.map((name) => [name, '']));
    const env = { ...empty, IMAGE_VARIANT: 'b' };
    const service = new ServiceProcess(test, ['--port=0'], env);
    await service.baseUrl();
    service.signal('SIGHUP');
    const { status, stdout } = await service.exit;
    assert.equal(status, 0);
    const [line = ''] = stdout.split('\n', 1);
    const { variant, settings } = JSON.parse(line);
    assert.deepEqual({ variant, settings }, { variant: 'b', settings: { PORT: '0' } });
  });

  it('prints its help and its version', async (test) => {
    const help = await new ServiceProcess(test, ['--help']).exit;
    assert.equal(help.status, 0);
    assert.match(help.stdout, /--max-rows +MAX_ROWS/);
    const version = await new ServiceProcess(test, ['--version']).exit;
    assert.equal(version.status, 0);
    assert.match(version.stdout, /^\d+\.\d+\.\d+\n$/);
  });

  it('makes createdAt local to TZ, set as a variable or a flag', async (test) => {
    for (const [args, env] of [
      [[], { TZ: 'Asia/Tokyo' }],
      [['--tz', 'Asia/Tokyo'], { TZ: 'America/New_York' }],
    ] as const) {
      const service = new ServiceProcess(test, ['--port=0', '--variant=b', ...args], env);
      const client = new Client(await service.baseUrl());
      test.after(() => client.close());
      const before = Date.now();
      const { createdAt = '' } = (await client.post(LIST, { title: 'x' })).json();
      const moment = Date.parse(`${createdAt}+09:00`);
      assert(
        moment >= before && moment <= Date.now(),
        `${createdAt} is not ${localDateTime(new Date())} in Tokyo`,
      );
    }
  });

  it('serves and stops gracefully if nobody reads its output any more', async (test) => {
    const service = new ServiceProcess(test, ['--port=0']);
    const client = new Client(await service.baseUrl());
    test.after(() => client.close());
    service.closeOutput();
    for (let i = 0; i < 5; i++) {
      assert.equal((await client.post(LIST, { title: 'x' })).status, 201);
    }
    service.signal('SIGTERM');
    assert.equal((await service.exit).status, 0);
  });

  it('prints its help without an error to a reader that stops early', async (test) => {
    const help = new ServiceProcess(test, ['--help']);
    help.closeOutput();
    const { status } = await help.exit;
    assert.equal(status, 0);
  });
});
