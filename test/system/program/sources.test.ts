import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { copyOfProject } from '../../support/folder.ts';
import { listening, UNCOUNTED } from '../../support/process.ts';

const skip = Reflect.get(process.features, 'typescript')
  ? false
  : `Node ${process.version} runs no TypeScript`;

it('the sources run without any installation, and only the page asks for one', {
  skip,
}, async (test) => {
  const folder = copyOfProject();
  rmSync(join(folder, 'node_modules'));
  const { NODE_OPTIONS: _, ...env } = { ...process.env, ...UNCOUNTED };
  const args = ['src/main.ts', '--port=0', '--admin-token=secret'];
  const service = spawn(process.execPath, args, { cwd: folder, env });
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
