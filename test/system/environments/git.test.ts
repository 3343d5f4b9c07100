import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { promisify } from 'node:util';
import { ROOT, temporaryFolder } from '../../support/folder.ts';

/** Files of the project that a build needs. */
const FILES = ['package.json', 'package-lock.json', 'tsconfig.json', 'scripts', 'src'];

const PROGRAM = `
  import { startTodoService } from 'todo-service';
  const service = await startTodoService({ seed: [{ title: 'x' }] });
  const response = await fetch(service.url + '/api/todos');
  console.log((await response.json()).length);
  await service.stop();
`;

it('the package can be installed from git, and then imported', async () => {
  const folder = temporaryFolder();
  const [origin, user] = [join(folder, 'origin'), join(folder, 'user')];
  const run = promisify(execFile);
  for (const name of FILES) cpSync(join(ROOT, name), join(origin, name), { recursive: true });
  const author = ['-c', 'user.name=x', '-c', 'user.email=x@example.org'];
  for (const args of [
    ['init', '--quiet'],
    ['add', '.'],
    [...author, 'commit', '--quiet', '-m', 'x'],
  ]) {
    await run('git', args, { cwd: origin });
  }
  mkdirSync(user);
  writeFileSync(join(user, 'package.json'), '{ "private": true }');
  await run('npm', ['install', '--no-audit', `git+file://${origin}`], { cwd: user });
  const args = ['--input-type=module', '-e', PROGRAM];
  const { stdout } = await run(process.execPath, args, { cwd: user });
  assert.equal(stdout, '1\n');
});
