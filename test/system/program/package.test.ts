import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { ROOT, temporaryFolder } from '../../support/folder.ts';
import { UNCOUNTED } from '../../support/process.ts';

/*
 * The package as its users see it: the files that `npm run build` makes, in a project of its own.
 * `package.long.test.ts` packs and installs it.
 */

const { NODE_TEST_CONTEXT: _, ...ENV } = { ...process.env, ...UNCOUNTED };

const run = promisify(execFile);

/** The files of the package. */
const FILES = [
  ...['LICENSE', 'README.md', 'package.json', 'dist/index.d.ts', 'dist/index.js'],
  ...['dist/library.js', 'dist/main.js', 'dist/package.json', 'dist/program.js'],
  'dist/replicas.js',
];

/** A separate project that uses the package, as users do. */
const USER_TEST = `
import assert from 'node:assert/strict';
import { test } from 'node:test';

test('exports exactly its names, for import and require', async () => {
  const { createRequire } = await import('node:module');
  const require = createRequire(import.meta.url);
  const names = ['InvalidInputError', 'startTodoService'];
  const { default: whole, 'module.exports': _, ...imported } = await import('todo-service');
  assert.deepEqual(Object.keys(imported).sort(), names);
  assert.deepEqual(Object.keys(require('todo-service')).sort(), names);
  assert.equal(imported.startTodoService, require('todo-service').startTodoService);
  await assert.rejects(import('todo-service/dist/library.js'), { code: 'ERR_PACKAGE_PATH_NOT_EXPORTED' });
  assert.equal(require('todo-service/package.json').name, 'todo-service');
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
import {
  type Fault, InvalidInputError, type JournalEntry, type ListedFault, type SeedItem, startTodoService, type TodoService,
} from 'todo-service';
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
await service.waitForRequests({ method: undefined }, { count: undefined, timeoutMs: undefined });
await service.requests({ method: undefined, path: undefined, route: undefined, status: undefined });
await service.requests({ status: null });
const everything: Fault = {
  method: undefined, path: undefined, route: undefined, requestHeaders: undefined,
  rate: undefined, skip: undefined, times: undefined,
  delayMs: undefined, status: undefined, headers: undefined, content: undefined, abort: undefined,
};
const [{ hits } = { hits: 0 }] = await service.faults([everything, { requestHeaders: { a: 'b' }, abort: 'reset' }]);
const current: readonly ListedFault[] = await service.faults();
const other: SeedItem = {
  title: 'x', description: null, completed: undefined, priority: undefined, id: undefined, createdAt: undefined,
};
const dated: SeedItem = { title: 'x', createdAt: new Date() };
await startTodoService({ seed: [other, dated], env: undefined });
const unanswered: null | number = first!.durationMs;
const entry: JournalEntry = first!;
const texts: string[] = [entry.time, entry.method, entry.target, entry.headers['accept'] ?? ''];
const ended: void = service.cutStreams();
try {
  await service.reset([]);
} catch (error) {
  if (error instanceof InvalidInputError) {
    const { name, message, violations: [violation] } = error;
    const all: (string | undefined)[] = [name, message, violation?.pointer, violation?.code, violation?.detail];
    texts.push(...all.map(String));
  }
}
// @ts-expect-error there is no such variant
await startTodoService({ variant: 'none' });
// @ts-expect-error an item has a title
await service.reset([{ description: null }]);
// @ts-expect-error no field has this name
await service.reset([{ title: 'x', colour: 'red' }]);
// @ts-expect-error there is no such effect
await service.faults([{ abort: 'sometimes' }]);
// @ts-expect-error a filter has no such member
await service.requests({ paht: '/' });
// @ts-expect-error an option has another name
await startTodoService({ sed: [] });
export { current, ended, hits, status, unanswered, url };
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

/** A folder with the built package, as a user has it. */
function userFolder(): string {
  const folder = temporaryFolder();
  const installed = join(folder, 'node_modules', 'todo-service');
  for (const file of FILES) cpSync(join(ROOT, file), join(installed, file));
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  writeFileSync(join(folder, 'user.test.js'), USER_TEST);
  writeFileSync(join(folder, 'types.mts'), USER_TYPES);
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG));
  return folder;
}

describe('the package', { concurrency: true }, () => {
  const folder = userFolder();

  it('has exactly these files', async () => {
    const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
    const { stdout } = await run('npm', args, { cwd: ROOT, env: ENV });
    const [{ files }]: [{ files: { path: string }[] }] = JSON.parse(stdout);
    assert.deepEqual(files.map(({ path }) => path).sort(), [...FILES].sort());
  });

  it('starts and stops a service when imported and when required', async () => {
    const { stdout } = await run(process.execPath, ['--test', 'user.test.js'], {
      cwd: folder,
      env: ENV,
    });
    assert.match(stdout, /^(?:# |ℹ )fail 0$/m);
    assert.match(stdout, /^(?:# |ℹ )pass 2$/m);
  });

  it('has self-contained types', async () => {
    const tsc = join(ROOT, 'node_modules', '.bin', 'tsc');
    await run(tsc, ['-p', folder], { cwd: folder, env: ENV }).catch(({ stdout }) =>
      assert.fail(stdout),
    );
  });
});
