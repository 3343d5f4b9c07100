import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { it } from 'node:test';
import groups from './groups.json' with { type: 'json' };

/**
 * Runs the quick tests of some folders in one process, because starting a process for each file
 * takes longer than most of the tests. Each file also runs by itself. A subfolder that is listed in
 * a group runs in that group only.
 */
export async function runGroup(name: keyof typeof groups): Promise<void> {
  for (const folder of groups[name]) {
    const path = new URL(`../../${folder}/`, import.meta.url);
    if (!existsSync(path)) {
      it(`test/${folder}`, () =>
        assert.fail('is in test/support/groups/groups.json, but does not exist'));
      continue;
    }
    const files = readdirSync(path, { recursive: true, encoding: 'utf8' }).sort();
    const apart = Object.values(groups)
      .flat()
      .filter((other) => other.startsWith(`${folder}/`));
    const isApart = (file: string) =>
      apart.some((other) => `${folder}/${file}`.startsWith(`${other}/`));
    for (const file of files.filter((file) => isQuick(file) && !isApart(file))) {
      await import(new URL(file, path).href);
    }
  }
}

/** Whether a file has quick tests. Tests that take long or need real time are in other files. */
function isQuick(file: string): boolean {
  return file.endsWith('.test.ts') && !file.endsWith('.long.test.ts');
}
