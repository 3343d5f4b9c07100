import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { request } from 'undici';
import packageJson from '../../../package.json' with { type: 'json' };
import { ROOT } from '../../support/folder.ts';
import { listening, UNCOUNTED } from '../../support/process.ts';

const hasBuildx = spawnSync('docker', ['buildx', 'version']).status === 0;

function check(step: string): void {
  const args = ['scripts/publish.js', step, '--dry-run'];
  const env = { ...process.env, GITHUB_REF_NAME: `v${packageJson.version}` };
  const { status, stderr } = spawnSync('node', args, { cwd: ROOT, env, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
}

describe('this version can be published', () => {
  it('as images, which buildx accepts', { skip: !hasBuildx && 'there is no buildx' }, () =>
    check('images'),
  );

  it('as a package, which npm accepts', () => check('npm'));

  it('as a release, with the section of the changelog', () => check('release'));
});

describe('the single program file', () => {
  for (const store of [[], ['--store=etcd', '--etcd-endpoints=http://127.0.0.1:1']]) {
    it(`starts in any project ${store.join(' ')}`, async (test) => {
      const folder = mkdtempSync(join(tmpdir(), 'program-'));
      copyFileSync(join(ROOT, 'dist/todo-service.cjs'), join(folder, 'todo-service.cjs'));
      writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
      const env = { ...process.env, ...UNCOUNTED };
      const args = ['todo-service.cjs', '--port=0', ...store];
      const child = spawn(process.execPath, args, { cwd: folder, env });
      test.after(() => {
        child.kill('SIGKILL');
        rmSync(folder, { recursive: true });
      });
      const { port } = (await listening(child.stdout)) ?? assert.fail();
      const { statusCode, body } = await request(`http://127.0.0.1:${port}/`, {
        headers: { Accept: 'text/html' },
      });
      assert.equal(statusCode, 200);
      assert.match(await body.text(), /^<!doctype html>/);
    });
  }
});
