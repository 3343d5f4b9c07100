// Writes the types of `todo-service/table` to dist/types/, for the package. They need no others.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = 'dist/types';
const options = [
  ...['--ignoreConfig', '--declaration', '--emitDeclarationOnly', '--strict', '--noEmit', 'false'],
  ...['--allowImportingTsExtensions', '--module', 'nodenext', '--target', 'es2024'],
  ...['--types', 'node', '--rootDir', 'src', '--outDir', folder],
];
const tsc = 'node_modules/typescript/bin/tsc';
execFileSync(process.execPath, [tsc, ...options, 'src/package/table.ts'], { stdio: 'inherit' });
// It is for Node's types, and no other file needs it.
rmSync(join(folder, 'lib', 'clock.d.ts'), { force: true });

// Not all tools look for the types of a file with another ending.
for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
  if (!name.endsWith('.d.ts')) continue;
  const file = join(folder, name);
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replaceAll(/(['"]\.{1,2}\/[^'"]+)\.ts(['"])/g, '$1.js$2'));
}
