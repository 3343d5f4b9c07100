import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { it } from 'node:test';
import groups from './groups.json' with { type: 'json' };

/**
 * Runs the tests of some folders in one process: starting a process for each file would take longer
 * than most of the tests. Each file also runs by itself.
 */
export async function runGroup(name: keyof typeof groups): Promise<void> {
  for (const folder of groups[name]) {
    const path = new URL(`../${folder}/`, import.meta.url);
    if (!existsSync(path)) {
      it(`test/${folder}`, () => assert.fail('is in test/groups/groups.json, but does not exist'));
      continue;
    }
    const files = readdirSync(path, { recursive: true, encoding: 'utf8' }).sort();
    for (const file of files.filter((each) => each.endsWith('.test.ts'))) {
      await import(new URL(file, path).href);
    }
  }
}
