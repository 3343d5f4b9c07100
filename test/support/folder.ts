import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the project, with a slash at its end. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** What a copy of the project does not have. */
const LEFT_OUT = ['.git', 'node_modules', 'dist'];

/** The paths of all files below a folder, relative to it, with slashes on every platform. */
export function filesBelow(folder: string | URL): readonly string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return files.map((file) => file.replaceAll('\\', '/')).sort();
}

const folders: string[] = [];
process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Creates a folder, which is removed when the process of the test exits. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'todo-service-'));
  folders.push(folder);
  return folder;
}

/** Copies the project to a temporary folder, without `dist`, which a build replaces. */
export function copyOfProject(): string {
  const folder = temporaryFolder();
  const filter = (file: string) => !LEFT_OUT.includes(basename(file));
  cpSync(ROOT, folder, { recursive: true, filter });
  // Windows lets everybody make a junction, but not a symbolic link.
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction');
  return folder;
}
