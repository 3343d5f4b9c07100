import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { promisify } from 'node:util';
import { cloneOfProject } from '../../support/clone.ts';
import { temporaryFolder } from '../../support/folder.ts';

const PROGRAM = `
  import { startTodoService } from 'todo-service';
  const service = await startTodoService({ seed: [{ title: 'x' }] });
  const response = await fetch(service.url + '/api/todos');
  console.log((await response.json()).length);
  await service.stop();
`;

it('the package can be installed from git, and then imported', async () => {
  const user = temporaryFolder();
  const run = promisify(execFile);
  writeFileSync(join(user, 'package.json'), '{ "private": true }');
  // The option that npm 12 needs. Older versions accept it.
  const install = ['install', '--no-audit', '--allow-git=root'];
  await run('npm', [...install, `git+file://${await cloneOfProject()}`], { cwd: user });
  const args = ['--input-type=module', '-e', PROGRAM];
  const { stdout } = await run(process.execPath, args, { cwd: user });
  assert.equal(stdout, '1\n');
});
