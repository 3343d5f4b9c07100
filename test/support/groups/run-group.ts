import { basename } from 'node:path';
import { filesBelow } from '../folder.ts';
import groups from './groups.json' with { type: 'json' };

/*
 * Runs the quick tests of a group in one process, because starting a process for each file takes
 * longer than most of the tests. The group has the name of the file that imports this one. Each
 * test file also runs by itself. A subfolder that is listed in a group runs in that group only.
 */

const folders: Readonly<Record<string, readonly string[]>> = groups;

for (const folder of folders[basename(process.argv[1] ?? '', '.ts')] ?? []) {
  const path = new URL(`../../${folder}/`, import.meta.url);
  const apart = Object.values(folders)
    .flat()
    .filter((other) => other.startsWith(`${folder}/`));
  const isApart = (file: string) =>
    apart.some((other) => `${folder}/${file}`.startsWith(`${other}/`));
  const files = filesBelow(path);
  for (const file of files.filter((file) => isQuick(file) && !isApart(file))) {
    await import(new URL(file, path).href);
  }
}

/** Whether a file has quick tests. Tests that take long or need real time are in other files. */
function isQuick(file: string): boolean {
  return file.endsWith('.test.ts') && !file.endsWith('.long.test.ts');
}
