import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

/** A copy of what the build makes, in a folder that is removed with its test. */
export function builtProgram(test: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'todo-service-'));
  test.after(() => rmSync(folder, { recursive: true }));
  cpSync('dist', join(folder, 'dist'), { recursive: true });
  cpSync('scripts', join(folder, 'scripts'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  return folder;
}
