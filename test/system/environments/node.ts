import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '../../support/folder.ts';

/** Installs a version of Node from npm, if it is not the running one. @returns the program */
export function nodeOf(version: string): string {
  if (version === process.versions.node) return process.execPath;
  const folder = temporaryFolder();
  const args = ['install', '--silent', '--no-audit', '--no-fund', '--prefix', folder];
  const { status, stderr } = spawnSync('npm', [...args, `node@${version}`], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  return join(folder, 'node_modules', '.bin', 'node');
}

/** The environment of a user who has a version of Node, for programs that a shell starts. */
export function environmentWith(version: string): NodeJS.ProcessEnv {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  return { ...env, PATH: `${dirname(nodeOf(version))}:${env.PATH}` };
}
