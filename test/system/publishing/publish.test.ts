import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import packageJson from '../../../package.json' with { type: 'json' };
import { ROOT } from '../../support/folder.ts';

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
