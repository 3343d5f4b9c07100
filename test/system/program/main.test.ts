import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { variableOf } from '../../../src/lib/config/index.ts';
import { localDateTime } from '../../../src/service/resource/date-time.ts';
import { SETTINGS } from '../../../src/service/settings/service-settings.ts';
import type { Document } from '../../support/api-document.ts';
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
    [['--store=etcd', '--lists-by-header=on'], {}, /--lists-by-header needs STORE=memory; .+/],
    [[], { SEED_FILE: '/none/two\nlines' }, /the seed file .+two lines .*no such file.*/],
    [
      ['--resource=examples/own-resource/note.schema.json'],
      { VARIANT: 'b' },
      /set VARIANT or --resource, not both/,
    ],
    [
      ['--resource', 'package.json'],
      {},
      /the resource package.json cannot be used: 1\d violations: \(1\) #\/type must be one of .*\(10\) [^(]*/,
    ],
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
    const item = { title: 'x', description: 'y'.repeat(900) };
    writeFileSync(file, JSON.stringify(Array.from({ length: 100 }, () => item)));
    const env = { LISTS: 'anna', SEED_FILE: file, MAX_BYTES: '6000000' };
    const { status, stdout, stderr } = await new ServiceProcess(test, ['--port=0'], env).exit;
    assert.deepEqual({ status, stdout }, { status: 2, stdout: '' });
    const reason =
      'The list holds at most 29702 bytes of items (its share of MAX_BYTES); each list begins with the seed';
    assert.equal(stderr, `todo-service: LISTS does not fit: ${reason}\n`);
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

/** A token that a setting has. */
const GIVEN = 'given';

/** Options of Node that make a process take its output for a terminal. */
const TERMINAL = `--import=data:text/javascript,${encodeURIComponent('process.stdout.isTTY = true')}`;

const ONLY_HERE = ' (other machines can connect only with HOST=*)';

describe('a process in a terminal', { concurrency: 3 }, () => {
  const folder = temporaryFolder();
  const file = join(folder, 'token');
  writeFileSync(file, GIVEN);

  for (const [env, hint, token] of [
    [{ BASE_PATH: '/todo' }, `http://localhost:PORT/todo/#token=TOKEN${ONLY_HERE}`],
    [{ HOST: '127.0.0.1' }, `http://127.0.0.1:PORT/#token=TOKEN${ONLY_HERE}`],
    [{ HOST: '*' }, 'http://localhost:PORT/#token=TOKEN'],
    [{ ADMIN_TOKEN: GIVEN }, `http://localhost:PORT/${ONLY_HERE}`, GIVEN],
    [{ ADMIN_TOKEN_FILE: file }, `http://localhost:PORT/${ONLY_HERE}`, GIVEN],
    [{ CI: 'true' }, `http://localhost:PORT/${ONLY_HERE}`, 'none'],
    [{ IMAGE_HOST: '*' }, undefined, 'none'],
  ] as const) {
    it(`shows where to open the page, with ${JSON.stringify(env)}`, async (test) => {
      const options = { NODE_OPTIONS: TERMINAL, CI: '', ...env };
      const service = new ServiceProcess(test, ['--port=0'], options);
      const baseUrl = await service.baseUrl();
      const { port } = new URL(baseUrl);
      const output = await service.printed(hint === undefined ? '"listening"' : 'Open ');
      const line = output.split('\n').find((each) => each.startsWith('Open '));
      const printed = /#token=([0-9a-f]{32})/.exec(line ?? '')?.[1];
      const shown = line?.replace(`:${port}/`, ':PORT/').replace(printed ?? '-', 'TOKEN');
      assert.equal(shown, hint && `Open ${hint}`);
      const client = clientFor(test, baseUrl);
      const path = `${'BASE_PATH' in env ? env.BASE_PATH : ''}/admin/faults`;
      const authorization = `Bearer ${token ?? printed}`;
      const answer = await client.request('GET', path, { headers: { authorization } });
      assert.equal(answer.status, token === 'none' ? 404 : 200);
      assert.equal((await service.stop('SIGINT')).status, 0);
    });
  }

  it('has its token nowhere but in that line, and another one in the next run', async (test) => {
    const tokens = new Set<string>();
    for (let run = 0; run < 2; run++) {
      const options = { NODE_OPTIONS: TERMINAL, CI: '', ACCESS_LOG: 'on' };
      const service = new ServiceProcess(test, ['--port=0'], options);
      const client = clientFor(test, await service.baseUrl());
      const [, token = ''] = /#token=(\w+)/.exec(await service.printed('Open ')) ?? [];
      tokens.add(token);
      const headers = { authorization: `Bearer ${token}`, accept: 'text/html, */*;q=0.1' };
      const texts: string[] = [];
      for (const path of ['/', '/openapi.json', '/admin/requests', '/none', '/admin/none']) {
        const { text, headers: fields } = await client.request('GET', path, { headers });
        texts.push(text, JSON.stringify(fields));
      }
      const refused = await client.get('/admin/requests');
      assert.equal(refused.status, 401);
      assert.match(refused.text, /the token of this run, which its terminal shows/);
      const { stdout, stderr } = await service.stop('SIGINT');
      assert.equal(stdout.split(token).length, 2);
      assert(![...texts, refused.text, stderr].some((text) => text.includes(token)));
      assert.doesNotMatch(stdout, /ADMIN_TOKEN/);
    }
    assert.equal(tokens.size, 2);
  });

  it('has the control of a service with a token: faults, journal, document, hints', async (test) => {
    const options = { NODE_OPTIONS: TERMINAL, CI: '' };
    const service = new ServiceProcess(test, ['--port=0'], options);
    const client = clientFor(test, await service.baseUrl());
    const [, token = ''] = /#token=(\w+)/.exec(await service.printed('Open ')) ?? [];
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const body = '{"faults":[{"status":503}]}';
    assert.equal((await client.request('PUT', '/admin/faults', { headers, body })).status, 200);
    assert.equal((await client.get(LIST)).status, 503);
    const journal = await client.request('GET', '/admin/requests', { headers });
    assert.equal(journal.json<{ requests: unknown[] }>().requests.length, 1);
    await client.request('DELETE', '/admin/faults', { headers });
    const { paths } = (await client.get('/openapi.json')).json<Document>();
    assert.deepEqual(paths['/admin/requests']?.get?.security, [{ adminToken: [] }]);
    assert.match((await client.get('/lists/x/')).text, /PUT \/admin\/lists\/x makes it/);
  });
});

it('a process whose output is no terminal has no token of its own', async (test) => {
  const service = new ServiceProcess(test, ['--port=0'], { CI: '' });
  const client = clientFor(test, await service.baseUrl());
  assert.equal((await client.get('/admin/requests')).status, 404);
  const { stdout } = await service.stop('SIGINT');
  assert.doesNotMatch(stdout, /Open/);
});
