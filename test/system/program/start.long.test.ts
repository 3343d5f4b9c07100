import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { copyOfProject } from '../../support/folder.ts';
import { LIST } from '../../support/paths.ts';
import { listening, UNCOUNTED } from '../../support/process.ts';

const ENV = { ...process.env, ...UNCOUNTED };

it('npm start leaves no process running when npm is stopped', { timeout: 60_000 }, async (test) => {
  const folder = copyOfProject();
  const npm = spawn('npm', ['start', '--', '--port=0'], { cwd: folder, env: ENV, detached: true });
  test.after(() => npm.kill('SIGKILL'));
  const { pid = 0 } = (await listening(npm.stdout)) ?? {};
  assert(isRunning(pid));
  npm.kill('SIGTERM');
  await once(npm, 'exit');
  for (const deadline = Date.now() + 5_000; isRunning(pid) && Date.now() < deadline; ) {
    await sleep(20);
  }
  assert(!isRunning(pid), 'the service exits with npm');
});

it('npm start finds a whole program while another npm start builds', {
  timeout: 60_000,
}, async (test) => {
  const folder = copyOfProject();
  const starts = Array.from({ length: 3 }, async () => {
    const npm = spawn('npm', ['start', '--', '--port=0'], { cwd: folder, env: ENV });
    test.after(() => npm.kill('SIGKILL'));
    let stderr = '';
    npm.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    const { pid } = (await listening(npm.stdout)) ?? assert.fail(stderr);
    process.kill(pid, 'SIGTERM');
  });
  await Promise.all(starts);
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.startsWith('dist')),
    ['dist'],
  );
});

it('npm start and npm pack name the command to run where the tools of the build are missing', async () => {
  const folder = copyOfProject();
  rmSync(join(folder, 'node_modules'));
  const run = promisify(execFile);
  const { stdout } = await run('npm', ['run', '--silent', 'prepare'], { cwd: folder, env: ENV });
  assert.equal(stdout, '');
  await assert.rejects(run('npm', ['start', '--silent'], { cwd: folder, env: ENV }), {
    stderr: 'The build needs the development dependencies: npm ci --include=dev\n',
  });
  // A package without its program must not be made.
  await assert.rejects(run('npm', ['pack', '--silent'], { cwd: folder, env: ENV }), {
    stderr: /^The build needs the development dependencies/,
  });
});

it('npm run dev restarts when a file of the page changes', {
  timeout: 60_000,
}, async (test) => {
  const folder = copyOfProject();
  const dev = spawn('npm', ['run', 'dev', '--', '--port=0'], {
    cwd: folder,
    env: ENV,
    detached: true,
  });
  test.after(async () => {
    process.kill(-Number(dev.pid), 'SIGKILL');
    await once(dev, 'close');
  });
  const change = () => appendFileSync(join(folder, 'src/web-page/client/page.html'), '<!--new-->');
  const ports: number[] = [];
  let timer: NodeJS.Timeout | undefined;
  test.after(() => clearInterval(timer));
  for await (const line of createInterface(dev.stdout)) {
    if (line.includes('Restarting')) clearInterval(timer);
    if (!line.includes('"listening"')) continue;
    if (ports.push(JSON.parse(line).port) > 1) break;
    // Repeated, because the time from which the file is watched is unknown.
    timer = setInterval(change, 500);
  }
  const page = await fetch(`http://127.0.0.1:${ports[1]}/`, { headers: { accept: 'text/html' } });
  assert.match(await page.text(), /<!--new-->/);
});

it('the service reads nothing from disk once it has started', { timeout: 60_000 }, async (test) => {
  const folder = copyOfProject();
  await once(spawn(process.execPath, ['scripts/build.js'], { cwd: folder }), 'exit');
  const service = spawn(process.execPath, ['dist/main.js', '--port=0'], { cwd: folder, env: ENV });
  test.after(() => service.kill('SIGKILL'));
  const { port } = (await listening(service.stdout)) ?? assert.fail();
  rmSync(folder, { recursive: true });
  for (const path of ['/openapi.json', LIST, '/metrics', '/readyz']) {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    assert.equal(response.status, 200, path);
    assert.notEqual(await response.text(), '');
  }
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
