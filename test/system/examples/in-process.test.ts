import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ROOT } from '../images/docker.ts';
import { copyOf, runIn } from './example.ts';

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';

describe('with the package of this repository, the tests of the example', () => {
  const folder = mkdtempSync(join(tmpdir(), 'package-'));
  let tarball = '';
  before(async () => {
    const file = (await runIn(folder, ['npm', 'pack', '--silent', ROOT])).trim();
    assert.match(file, /^todo-service-[\d.]+\.tgz$/);
    tarball = join(folder, file);
  });
  after(() => rmSync(folder, { recursive: true }));

  for (const name of ['node-test', 'vitest', 'jest', 'playwright']) {
    it(`${name} pass`, async (test) => {
      const copy = copyOf(test, name);
      await runIn(copy, ['npm', 'install', '--silent', '--save-dev', tarball]);
      await runIn(copy, ['npm', 'test'], { CHROMIUM, CI: 'true' });
    });
  }
});
