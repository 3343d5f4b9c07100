import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { copyOfProject, temporaryFolder } from '../../support/folder.ts';

const TOOLS = join(import.meta.dirname, 'node_modules', '.bin');

describe('the package, as npm packs it', () => {
  const folder = temporaryFolder();
  const args = ['pack', '--silent', '--pack-destination', folder];
  const name = execFileSync('npm', args, { cwd: copyOfProject(), encoding: 'utf8' }).trim();

  for (const [tool, ...options] of [
    ['publint', 'run', '--strict'],
    ['attw', '--no-color'],
  ] as const) {
    it(`has no faults that ${tool} finds`, () => {
      const given = [...options, join(folder, name)];
      const { status, stdout, stderr } = spawnSync(join(TOOLS, tool), given, { encoding: 'utf8' });
      assert.equal(status, 0, stdout + stderr);
    });
  }
});
