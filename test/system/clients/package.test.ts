import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { copyOfProject, temporaryFolder } from '../../support/folder.ts';
import { run } from './run.ts';

describe('the package', () => {
  const folder = temporaryFolder();
  let tarball = '';
  before(() => {
    execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], {
      cwd: copyOfProject(),
    });
    tarball = join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '');
  });

  it('has types that every way of resolving them finds', async () => {
    await run('attw', tarball);
  });

  it('passes publint', async () => {
    await run('publint', tarball, '--strict');
  });
});
