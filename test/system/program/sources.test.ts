import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { copyOfProject } from '../../support/folder.ts';
import { listening, UNCOUNTED } from '../../support/process.ts';
import { WAYS_IN } from '../../support/readme.ts';

const runsTypeScript = Boolean(Reflect.get(process.features, 'typescript'));
const [program = '', ...args] = WAYS_IN.sources.split(' ');

/** A copy of the project without any installation, as a clone is. */
function copyWithoutPackages(): string {
  const folder = copyOfProject();
  rmSync(join(folder, 'node_modules'));
  return folder;
}

it('in a Node that cannot run TypeScript, the sources end with one line', () => {
  assert.equal(program, 'node');
  const flags = runsTypeScript ? ['--no-experimental-strip-types', ...args] : args;
  const options = { cwd: copyWithoutPackages(), encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, flags, options);
  const reason = `Node ${process.versions.node} cannot run TypeScript`;
  const advice = 'use Node 22.18, 23.6 or newer, or type: npm ci && npm start';
  assert.deepEqual([status, stdout, stderr], [2, '', `todo-service: ${reason}; ${advice}\n`]);
});

it('the sources run without any installation, and only the page asks for one', {
  skip: runsTypeScript ? false : `Node ${process.version} runs no TypeScript`,
}, async (test) => {
  const { NODE_OPTIONS: _, ...env } = { ...process.env, ...UNCOUNTED };
  const service = spawn(process.execPath, [...args, '--port=0', '--admin-token=secret'], {
    cwd: copyWithoutPackages(),
    env,
  });
  test.after(() => service.kill('SIGKILL'));
  let stderr = '';
  service.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const { port } = (await listening(service.stdout)) ?? assert.fail(stderr);
  const call = async (path: string, init?: RequestInit) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
    return { status: response.status, text: await response.text() };
  };

  const json = { 'Content-Type': 'application/json' };
  const created = { method: 'POST', headers: json, body: '{"title": "Buy milk"}' };
  assert.equal((await call('/api/todos', created)).status, 201);
  assert.match((await call('/api/todos?search=MILK')).text, /"Buy milk"/);
  for (const path of ['/', '/openapi.json', '/metrics', '/livez', '/readyz']) {
    assert.equal((await call(path)).status, 200, path);
  }
  const headers = { Authorization: 'Bearer secret' };
  assert.equal((await call('/admin/faults', { headers })).status, 200);

  const page = await call('/', { headers: { Accept: 'text/html' } });
  assert.equal(page.status, 200);
  assert.match(page.text, /run <code>npm ci<\/code>/);
});
