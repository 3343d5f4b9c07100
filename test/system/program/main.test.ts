import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { variableOf } from '../../../src/lib/config/index.ts';
import { localDateTime } from '../../../src/service/resource/date-time.ts';
import { SETTINGS } from '../../../src/service/settings/service-settings.ts';
import { clientFor } from '../../support/client.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { LIST } from '../../support/paths.ts';
import { ServiceProcess } from '../../support/process.ts';
import { UNKNOWN_VARIANT } from '../../support/service.ts';

describe('the process', { concurrency: 3 }, () => {
  it('logs its address as a line of JSON', async (test) => {
    const service = new ServiceProcess(test, ['--port', '0', '--variant', 'b']);
    const client = clientFor(test, await service.baseUrl());
    assert.equal((await client.get('/readyz')).status, 200);
    service.signal('SIGTERM');
    const { status, stdout, stderr } = await service.exit;
    assert.deepEqual([status, stderr], [0, '']);
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

  for (const [args, env, line] of [
    [[], { VARIANT: UNKNOWN_VARIANT }, /VARIANT must be .+/],
    [[], { ADMIN_TOKEN: 'se cret' }, /ADMIN_TOKEN must be (?:(?!cret).)+/],
    [['--faults', '[{"delay":1}]'], {}, /--faults is invalid: .*did you mean delayMs\?/],
    [
      [],
      { npm_lifecycle_event: 'start', npm_config_max_rows: '5' },
      /npm has taken --max-rows for itself; type npm start -- --max-rows …/,
    ],
    [['--store=etcd'], { LISTS: 'anna' }, /LISTS needs STORE=memory; .+/],
    [[], { SEED_FILE: '/none/two\nlines' }, /the seed file .+two lines .*no such file.*/],
    [['--admin-token-file=/none'], {}, /--admin-token-file cannot be read: ENOENT: [a-z ]+/],
    [['--port=0', '--host=nowhere.invalid'], {}, /--host must be .+, not "nowhere.invalid": .+/],
    [['--port=0'], { HOST: '192.0.2.1' }, /HOST must be .+, not "192.0.2.1": .+/],
  ] as const) {
    it(`ends with status 2 and one line: ${line.source}`, async (test) => {
      const { status, stdout, stderr } = await new ServiceProcess(test, args, env).exit;
      assert.deepEqual({ status, stdout }, { status: 2, stdout: '' });
      assert.match(stderr, new RegExp(`^todo-service: ${line.source}\n$`));
    });
  }

  it('ends with status 2 and one line if the lists of LISTS do not fit', async (test) => {
    const file = join(temporaryFolder(), 'seed.json');
    const hundred = Array.from({ length: 100 }, (_, i) => `list-${i}`).join();
    for (const [LISTS, items, reason] of [
      [
        'anna',
        100,
        /The list holds at most 30000 bytes of items \(its share of MAX_BYTES\); each list begins with the seed/,
      ],
      [hundred, 1, /The items at the base path do not leave a hundredth of MAX_BYTES .+/],
    ] as const) {
      const item = { title: 'x', description: 'y'.repeat(900) };
      writeFileSync(file, JSON.stringify(Array.from({ length: items }, () => item)));
      const env = { LISTS, SEED_FILE: file, MAX_BYTES: '6000000' };
      const { status, stdout, stderr } = await new ServiceProcess(test, ['--port=0'], env).exit;
      assert.deepEqual({ status, stdout }, { status: 2, stdout: '' });
      assert.match(stderr, new RegExp(`^todo-service: LISTS does not fit: ${reason.source}\n$`));
    }
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
      const client = clientFor(test, await service.baseUrl());
      const before = Date.now();
      const { createdAt = '' } = (await client.post(LIST, { title: 'x' })).json();
      const moment = Date.parse(`${createdAt}+09:00`);
      assert(
        moment >= before && moment <= Date.now(),
        `${createdAt} is not ${localDateTime(new Date())} in Tokyo`,
      );
    }
  });

  it('serves and stops gracefully if its output is closed', async (test) => {
    const service = new ServiceProcess(test, ['--port=0']);
    const client = clientFor(test, await service.baseUrl());
    service.closeOutput();
    for (let i = 0; i < 5; i++) {
      assert.equal((await client.post(LIST, { title: 'x' })).status, 201);
    }
    service.signal('SIGTERM');
    assert.equal((await service.exit).status, 0);
  });
});

/** Options of Node that make a process take its output for a terminal. */
const TERMINAL = `--import=data:text/javascript,${encodeURIComponent('process.stdout.isTTY = true')}`;

describe('a process in a terminal', { concurrency: 3 }, () => {
  for (const [env, hint] of [
    [
      { BASE_PATH: '/todo' },
      'http://localhost:PORT/todo/ (other machines can connect only with HOST=*)',
    ],
    [{ HOST: '127.0.0.1' }, 'http://127.0.0.1:PORT/ (other machines can connect only with HOST=*)'],
    [{ HOST: '*' }, 'http://localhost:PORT/'],
    [{ IMAGE_HOST: '*' }, undefined],
  ] as const) {
    it(`shows where to open the page, with ${JSON.stringify(env)}`, async (test) => {
      const options = { NODE_OPTIONS: TERMINAL, ...env };
      const service = new ServiceProcess(test, ['--port=0'], options);
      const { port } = new URL(await service.baseUrl());
      const { status, stdout } = await service.stop('SIGINT');
      assert.equal(status, 0);
      const [line] = stdout.split('\n').filter((each) => !each.startsWith('{'));
      assert.equal(line?.replace(`:${port}/`, ':PORT/'), hint === undefined ? '' : `Open ${hint}`);
    });
  }
});
