import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ROOT } from '../../support/folder.ts';

const ACTIONLINT = 'github.com/rhysd/actionlint/cmd/actionlint@v1.7.12';

const WORKFLOWS = readdirSync(join(ROOT, '.github/workflows')).map(
  (name) => `.github/workflows/${name}`,
);

describe('the workflows', () => {
  it('have no faults that actionlint finds, and the one of the examples has none', () => {
    const files = [...WORKFLOWS, 'examples/github-actions/api-tests.yml'];
    const options = { cwd: ROOT, encoding: 'utf8' } as const;
    const { status, stdout, stderr } = spawnSync('go', ['run', ACTIONLINT, ...files], options);
    assert.equal(status, 0, stdout + stderr);
  });

  for (const file of WORKFLOWS) {
    it(`use actions by commit in ${file}, with the version beside it`, () => {
      const uses = [...readFileSync(join(ROOT, file), 'utf8').matchAll(/\buses: (.+)/g)];
      assert.notEqual(uses.length, 0);
      for (const [, action = ''] of uses) {
        assert.match(action, /^\.\/|^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
      }
    });
  }
});
