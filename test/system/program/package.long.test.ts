import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { copyOfProject, ROOT, temporaryFolder } from '../../support/folder.ts';
import { listening, UNCOUNTED } from '../../support/process.ts';

const ENV = { ...process.env, ...UNCOUNTED };

const run = promisify(execFile);

/** A separate project that uses the package, as users do. */
const USER_TEST = `
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { request } from 'undici';
import { startTodoService } from 'todo-service';

test('stops at the end of a scope, and rejects waits for requests', async () => {
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
    folder = temporaryFolder();
    const args = ['pack', '--silent', '--pack-destination', folder];
    const { stdout } = await run('npm', args, { cwd: copyOfProject(), env: ENV });
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

  it('has no dependencies', () => {
    assert.deepEqual(
      readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.')),
      ['todo-service', 'undici'],
    );
  });

  it('starts and stops a service when imported and when required', async () => {
    const { NODE_TEST_CONTEXT: _, ...env } = ENV;
    const { stdout } = await run(process.execPath, ['--test', 'user.test.js'], {
      cwd: folder,
      env,
    });
    assert.match(stdout, /^(?:# |ℹ )fail 0$/m);
    assert.match(stdout, /^(?:# |ℹ )pass 2$/m);
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
    const { pid, port } = (await listening(npx.stdout)) ?? assert.fail();
    assert.equal((await fetch(`http://127.0.0.1:${port}/readyz`)).status, 200);
    process.kill(pid, 'SIGTERM');
    await once(npx, 'exit');
  });
});
