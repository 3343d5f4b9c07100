import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder that is gone after the run. */
export const directory = mkdtempSync(join(tmpdir(), 'bench-'));
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));

/** Writes a temporary file, removed after the run, and returns its path. */
export function scratch(name: string, content: string | Buffer): string {
  const file = join(directory, name);
  writeFileSync(file, content);
  return file;
}
