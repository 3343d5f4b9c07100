import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { ROOT, temporaryFolder } from '../../support/folder.ts';
import { copyOf, runIn } from './example.ts';

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';

describe('with the package of this repository, the tests of the example', () => {
  const folder = temporaryFolder();
  let tarball = '';
  before(async () => {
    const file = (await runIn(folder, ['npm', 'pack', '--silent', ROOT])).trim();
    assert.match(file, /^todo-service-[\d.]+\.tgz$/);
    tarball = join(folder, file);
  });

  for (const name of ['node-test', 'vitest', 'jest', 'playwright']) {
    it(`${name} pass`, async () => {
      const copy = copyOf(name);
      await runIn(copy, ['npm', 'install', '--silent', '--save-dev', tarball]);
      await runIn(copy, ['npm', 'test'], { CHROMIUM, CI: 'true' });
    });
  }
});
