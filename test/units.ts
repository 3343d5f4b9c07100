/*
 * Runs the tests that are quick in one process: starting a process for each file would take longer
 * than the tests. Each file also runs by itself.
 */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FOLDERS = [
  ...['config', 'json', 'resource', 'table'],
  ...['http/core', 'http/middleware', 'http/request', 'http/response', 'http/routing'],
];

for (const folder of FOLDERS) {
  const path = fileURLToPath(new URL(folder, import.meta.url));
  const files = readdirSync(path, { recursive: true, encoding: 'utf8' }).sort();
  for (const file of files.filter((name) => name.endsWith('.test.ts'))) {
    await import(`./${folder}/${file}`);
  }
}
