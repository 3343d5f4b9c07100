import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { UNCOUNTED } from '../../support/process.ts';

const ENV = { ...process.env, ...UNCOUNTED };

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const run = promisify(execFile);

/** A separate project that uses the package, as users do. */
const USER_TEST = `
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { request } from 'undici';
import { startTodoService } from 'todo-service';

let service;
before(async () => { service = await startTodoService({ seed: [{ title: 'seeded' }] }); });
beforeEach(() => service.reset());
after(() => service.stop());

for (const round of [1, 2]) {
  test('starts from the seed, round ' + round, async () => {
    const created = await request(service.url + '/api/todos', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ title: 'new' }),
    });
    assert.equal(created.statusCode, 201);
    assert.equal((await created.body.json()).id, 2);
  });
}

test('runs many in one process, each with its own items', async () => {
  const services = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      startTodoService({
        variant: i % 2 ? 'b' : 'a',
        seed: Array.from({ length: i }, (_, n) => ({ title: 'todo ' + n, completed: true })),
      }),
    ),
  );
  assert.equal(new Set(services.map(({ url }) => url)).size, 20);
  for (const [i, { url, stop }] of services.entries()) {
    const todos = await (await request(url + '/api/todos')).body.json();
    assert.equal(todos.length, i);
    assert.equal(todos.every((todo) => 'createdAt' in todo), i % 2 === 1 || i === 0);
    await stop();
    await stop();
  }
});

test('rejects an invalid option with the reason', async () => {
  for (const [options, message] of [
    [{ variant: 'none' }, /VARIANT must be a or b/],
    [{ port: -1 }, /PORT must be/],
    [{ seed: [{ title: '' }] }, /: #/0/title/],
    [{ seed: [{ title: 'x', priority: NaN }] }, /#\\/priority must be an integer, not NaN/],
    [{ seed: 'x' }, /the seed is invalid: it must be an array/],
    [{ seed: null }, /the seed is invalid: it must be an array/],
    [{ variant: null }, /VARIANT must be a text or a number, not null/],
    [{ port: NaN }, /PORT must be .* not "NaN"/],
    [{ env: { MAX_ROWS: {} } }, /MAX_ROWS must be a text or a number, not an object/],
    [{ seed: [{ title: 'x' }, { title: 'y' }], env: { MAX_ROWS: '1' } }, /maximum of 1 rows/],
    [{ env: { MAX_ROWS: '0' } }, /MAX_ROWS must be/],
    [{ env: { STRICT_QUERY: 1 } }, /STRICT_QUERY must be on or off, not "1"/],
    [{ env: { TZ: 'UTC' } }, /TZ is not a setting that env can have/],
    [{ env: { PORT: '8080' } }, /PORT is not a setting that env can have/],
    [{ sed: [] }, /sed is not an option; the options are variant, port, seed, env/],
    [{ seed: [{ title: 'x' }], env: { SEED_FILE: 'x.json' } }, /set seed or SEED_FILE, not both/],
    ['a', /the options must be an object/],
    [null, /the options must be an object/],
    [{ env: 'MAX_ROWS=1' }, /env must be an object/],
    [{ port: Number(new URL(service.url).port) }, /EADDRINUSE/],
  ]) {
    await assert.rejects(startTodoService(options), message);
  }
  const env = { MAX_ROWS: 1, STRICT_QUERY: true, ADMIN_TOKEN: undefined, TZ: undefined };
  const others = { port: undefined, sed: undefined };
  const limited = await startTodoService({ env, seed: [{ title: 'x' }], ...others });
  await limited.stop();
});

test('has a url that can be connected to, whatever the host', async () => {
  for (const HOST of ['0.0.0.0', 'localhost', '127.0.0.1', '']) {
    const { url, stop } = await startTodoService({ env: { HOST } });
    assert.equal((await request(url + '/readyz')).statusCode, 200, url);
    await stop();
  }
});

test('injects faults, and tells what came', async () => {
  const faults = [{ status: 503, times: 1 }];
  const set = service.faults(faults);
  faults[0].status = 200;
  await set;
  assert.equal((await request(service.url + '/api/todos')).statusCode, 503);
  await assert.rejects(service.faults([{ delayMs: NaN }]), /delayMs must be .* not NaN/);
  const waiting = service.waitForRequests({ method: 'POST', path: '/api/todos' }, { count: 1 });
  const body = JSON.stringify({ title: 'x' });
  const headers = { 'content-type': 'application/json' };
  await (await request(service.url + '/api/todos', { method: 'POST', headers, body })).body.dump();
  assert.equal((await waiting)[0].content, body);
  assert.deepEqual((await service.requests()).map(({ method }) => method), ['GET', 'POST']);
  assert.equal((await service.requests({ status: 503 })).length, 1);
  await assert.rejects(service.requests({ path: 'x' }), /path must be .* not "x"/);
  await assert.rejects(service.requests({ paht: 'x' }), /"paht" is unknown; use method, path/);
  await assert.rejects(
    service.waitForRequests({ method: 'PUT' }, { timeoutMs: 1 }),
    /^Error: 0 of 1 requests came within 1 ms; the filter is .*PUT/,
  );
  await assert.rejects(service.waitForRequests({}, { count: 1.5 }), /count must be .* not 1.5/);
  await assert.rejects(service.reset([{ titel: 'x' }]), { name: 'SeedError', message: /index 0/ });
  const seed = [{ title: 'copied', id: 7n }];
  const reset = service.reset(seed);
  seed[0].title = '';
  await reset;
  const [todo] = await (await request(service.url + '/api/todos')).body.json();
  assert.deepEqual([todo.id, todo.title], [7, 'copied']);
});

test('stops at the end of a scope, and whoever waits for requests is told', async () => {
  const other = await startTodoService();
  const waiting = assert.rejects(other.waitForRequests(), /0 of 1 requests came before the service stopped/);
  await other[Symbol.asyncDispose]();
  await waiting;
  await assert.rejects(request(other.url));
});

test('installs no handlers on the process, and works with require', async () => {
  const { createRequire } = await import('node:module');
  const required = createRequire(import.meta.url)('todo-service');
  const handlers = () =>
    process.eventNames().map((name) => [name, process.listenerCount(name)]);
  const before = handlers();
  const another = await required.startTodoService();
  assert.deepEqual(handlers(), before);
  await another.stop();
});
`;

const USER_TYPES = `
import { startTodoService, type TodoService } from 'todo-service';
const service: TodoService = await startTodoService({ variant: 'b', seed: [{ title: 'x' }] });
const url: string = service.url;
await service.reset();
await service.reset({ todos: [{ title: 'x', id: 7n, createdAt: '2026-11-20T09:30:00' }] });
await service.faults([{ route: '/api/todos', abort: 'truncate', delayMs: 1 }]);
const [first] = await service.waitForRequests({ method: 'POST' }, { count: 1, timeoutMs: 1 });
const status: number | null | undefined = first?.status;
await service.stop();
{
  await using scoped = await startTodoService();
  await scoped.reset();
}
interface Todo { id: number; title: string; createdAt: string }
interface Db { todos: Todo[] }
const db: Db = { todos: [] };
await service.reset(db);
await startTodoService({ variant: undefined, port: undefined, seed: db, env: { MAX_ROWS: undefined } });
await service.reset([{ title: 'x', completed: undefined }]);
await service.faults([{ status: 503, times: undefined, headers: { 'Set-Cookie': ['a=1', 'b=2'] } }]);
await service.waitForRequests({ method: undefined }, { count: undefined });
// @ts-expect-error there is no such variant
await startTodoService({ variant: 'none' });
// @ts-expect-error an item has a title
await service.reset([{ description: null }]);
// @ts-expect-error no field has this name
await service.reset([{ title: 'x', colour: 'red' }]);
export { status, url };
`;

const TSCONFIG = {
  compilerOptions: {
    ...{
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      skipLibCheck: false,
      types: [],
    },
    ...{ module: 'NodeNext', target: 'ES2022', lib: ['ES2022'] },
  },
  files: ['types.mts'],
};

describe('the package', () => {
  let folder = '';
  before(async () => {
    const copy = mkdtempSync(join(tmpdir(), 'todo-service-'));
    for (const name of [
      'package.json',
      'tsconfig.json',
      'README.md',
      'LICENSE',
      'scripts',
      'src',
    ]) {
      cpSync(join(ROOT, name), join(copy, name), { recursive: true });
    }
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
    folder = mkdtempSync(join(tmpdir(), 'todo-service-user-'));
    const args = ['pack', '--silent', '--pack-destination', folder];
    const { stdout } = await run('npm', args, { cwd: copy, env: ENV });
    rmSync(copy, { recursive: true });
    const [tarball = ''] = readdirSync(folder);
    assert.equal(stdout, `${tarball}\n`, 'the build prints nothing to standard output');
    writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
    const install = ['install', '--silent', '--no-audit', '--no-fund', `./${tarball}`];
    await run('npm', install, { cwd: folder, env: ENV });
    const undici = join(folder, 'node_modules', 'undici');
    symlinkSync(join(ROOT, 'node_modules', 'undici'), undici);
    writeFileSync(join(folder, 'user.test.js'), USER_TEST);
    writeFileSync(join(folder, 'types.mts'), USER_TYPES);
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('has no dependencies', () => {
    assert.deepEqual(
      readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.')),
      ['todo-service', 'undici'],
    );
  });

  it('starts, resets and stops a service when imported', async () => {
    const { NODE_TEST_CONTEXT: _, ...env } = ENV;
    const { stdout } = await run(process.execPath, ['--test', 'user.test.js'], {
      cwd: folder,
      env,
    });
    assert.match(stdout, /^(?:# |ℹ )fail 0$/m);
    assert.match(stdout, /^(?:# |ℹ )pass 8$/m);
  });

  it('has self-contained types', async () => {
    const tsc = join(ROOT, 'node_modules', '.bin', 'tsc');
    await run(tsc, ['-p', folder], { cwd: folder, env: ENV });
  });

  it('starts with npx', async (test) => {
    const npx = spawn('npx', ['--no-install', 'todo-service', '--port=0'], {
      cwd: folder,
      env: ENV,
    });
    test.after(() => npx.kill('SIGKILL'));
    for await (const line of createInterface(npx.stdout)) {
      const { message, port, pid } = JSON.parse(line);
      if (message !== 'listening') continue;
      assert.equal((await fetch(`http://127.0.0.1:${port}/readyz`)).status, 200);
      process.kill(pid, 'SIGTERM');
      break;
    }
    await once(npx, 'exit');
  });
});
