import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { copyOfProject, ROOT, temporaryFolder } from '../../support/folder.ts';
import { listening, UNCOUNTED } from '../../support/process.ts';

const ENV = { ...process.env, ...UNCOUNTED };

const run = promisify(execFile);

describe('the package', () => {
  let folder = '';
  let project = '';
  before(async () => {
    folder = temporaryFolder();
    project = copyOfProject();
    const args = ['pack', '--silent', '--pack-destination', folder];
    const { stdout } = await run('npm', args, { cwd: project, env: ENV });
    const [tarball = ''] = readdirSync(folder);
    assert.equal(stdout, `${tarball}\n`, 'the build prints nothing to standard output');
    writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
    const install = ['install', '--silent', '--no-audit', '--no-fund', `./${tarball}`];
    await run('npm', install, { cwd: folder, env: ENV });
  });

  it('has no dependencies', () => {
    assert.deepEqual(
      readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.')),
      ['todo-service'],
    );
  });

  it('has no script that an installation would run', () => {
    const manifest = join(folder, 'node_modules', 'todo-service', 'package.json');
    const { scripts } = JSON.parse(readFileSync(manifest, 'utf8'));
    for (const name of ['preinstall', 'install', 'postinstall', 'prepare']) {
      assert.equal(scripts[name], undefined, name);
    }
  });

  it('leaves the manifest of its folder as it was', () => {
    const [packed = '', original = ''] = [project, ROOT].map((each) =>
      readFileSync(join(each, 'package.json'), 'utf8'),
    );
    assert.equal(packed, original);
    assert(!existsSync(join(project, 'package.json.complete')));
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
