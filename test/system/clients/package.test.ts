import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { run } from './run.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

describe('the package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'package-'));
  let tarball = '';
  before(() => {
    // A copy, because packing builds, and other tests run what is built.
    const copy = join(folder, 'copy');
    for (const name of [
      'LICENSE',
      'README.md',
      'package.json',
      'scripts',
      'src',
      'tsconfig.json',
    ]) {
      cpSync(join(ROOT, name), join(copy, name), { recursive: true });
    }
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
    execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: copy });
    tarball = join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '');
  });
  after(() => rmSync(folder, { recursive: true }));

  it('has types that every way of resolving them finds', async () => {
    await run('attw', tarball);
  });

  it('passes publint', async () => {
    await run('publint', tarball, '--strict');
  });
});
