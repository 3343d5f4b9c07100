import { execFile } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT, temporaryFolder } from './folder.ts';

let repository: Promise<string> | undefined;

/** A new clone of the files of this project, as they are now; removed when the process exits. */
export async function cloneOfProject(): Promise<string> {
  repository ??= createRepository();
  const folder = temporaryFolder();
  await git(['clone', '--quiet', await repository, folder], ROOT);
  return folder;
}

/** Runs git in a folder, and returns its output. */
export async function git(args: readonly string[], folder: string): Promise<string> {
  const options = { cwd: folder, maxBuffer: 64 * 1024 * 1024 };
  return (await promisify(execFile)('git', args, options)).stdout;
}

async function createRepository(): Promise<string> {
  const folder = temporaryFolder();
  const listing = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const files = (await git(listing, ROOT)).split('\0').filter((name) => name !== '');
  const deleted = (await git(['ls-files', '-z', '--deleted'], ROOT)).split('\0');
  for (const file of files.filter((name) => !deleted.includes(name))) {
    cpSync(join(ROOT, file), join(folder, file));
  }
  const author = ['-c', 'user.name=x', '-c', 'user.email=x@example.org'];
  await git(['init', '--quiet'], folder);
  await git(['add', '--all'], folder);
  await git([...author, 'commit', '--quiet', '--message', 'x'], folder);
  return folder;
}
