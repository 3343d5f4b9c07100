import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { directory } from './scratch.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** An earlier version to compare with. */
export interface Version {
  /** Its name in tables. */
  readonly name: string;
  /** The folder with its files. */
  readonly folder: string;
}

/**
 * Writes the files of a commit or a tag of this repository to a temporary folder.
 * @param spec such as `v3.0.0` or `3.0=22cffa2c`, which gives the commit a name
 */
export function versionOf(spec: string): Version {
  const [first = '', commit = first] = spec.split('=');
  const folder = join(directory, commit);
  mkdirSync(folder, { recursive: true });
  const archive = execFileSync('git', ['archive', commit], {
    cwd: ROOT,
    maxBuffer: Number.POSITIVE_INFINITY,
  });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return { name: first, folder };
}

/** Builds a version, unless that is done. Returns the folder of its program. */
export function buildOf({ folder }: Version): string {
  const dist = join(folder, 'dist');
  if (!existsSync(dist)) build(folder);
  return dist;
}

/** Builds this checkout. */
export function buildThis(): void {
  build(ROOT);
}

function build(folder: string): void {
  execFileSync(process.execPath, ['scripts/build.js'], { cwd: folder, stdio: 'inherit' });
}
