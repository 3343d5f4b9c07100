import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** How long the package index may take to answer, in seconds. */
const PATIENCE_S = 5;

/**
 * Makes a virtual environment of Python with a package from PyPI in it.
 * @param folder where to make it
 * @param requirement the package and its version, such as `name==1.0.0`
 * @returns false if it fails; without a reachable index, it fails within seconds
 */
export function installFromPypi(folder: string, requirement: string): boolean {
  if (spawnSync('python3', ['-m', 'venv', folder]).status !== 0) return false;
  const args = ['install', '--quiet', '--retries=0', `--timeout=${PATIENCE_S}`, requirement];
  return spawnSync(join(folder, 'bin/pip'), args).status === 0;
}
