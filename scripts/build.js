// Builds dist/, in CommonJS (docs/decisions/0008). Files are written beside
// dist/ and then renamed, so that processes which start meanwhile always find a complete program.

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

// Exit quietly after an installation without the tools of the build, such as in production.
const isForPackage = process.argv.includes('--for-package');
if (!['esbuild', 'tsx/esm/api'].every(isInstalled)) {
  if (isForPackage) process.exit();
  process.stderr.write('The build needs the development dependencies: npm ci --include=dev\n');
  process.exit(1);
}
// npm prepares a package from git twice.
if (isForPackage && isUpToDate()) process.exit();
const { build, transformSync } = await import('esbuild');
const { tsImport } = await import('tsx/esm/api');
const { unsupportedRuntime } = await tsImport('../src/service/runtime.ts', import.meta.url);
const reason = unsupportedRuntime(process.versions);
if (reason !== undefined) {
  process.stderr.write(`${reason}\n`);
  process.exit(2);
}

/** Replaces the page bundler by the finished page. */
const page = {
  name: 'page',
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]src[/\\]web-page[/\\]bundle\.ts$/ }, async () => {
      const { pageBundle } = await tsImport('../src/web-page/bundle.ts', import.meta.url);
      const made = JSON.stringify(await pageBundle());
      return { contents: `const page = ${made};\nexport const pageBundle = async () => page;\n` };
    });
  },
};

/** Files that only a replica needs. They are built into `replicas.js`, which the program loads. */
const OF_REPLICAS = /[/\\]src[/\\]replicas[/\\]/;

/** All other files that these import. The program has and exports them. */
const shared = new Set();

const sharedFiles = {
  name: 'shared-files',
  setup({ onResolve }) {
    onResolve({ filter: /^\./ }, ({ kind, path, resolveDir }) => {
      const file = resolve(resolveDir, path);
      if (kind === 'entry-point' || OF_REPLICAS.test(file)) return undefined;
      shared.add(file);
      return { path: './program.js', external: true };
    });
  },
};

/** Loads `replicas.js` where the program imports its entry. */
const replicas = {
  name: 'replicas',
  setup({ onResolve }) {
    onResolve({ filter: /[/\\]configured-store\.ts$/ }, () => ({
      path: './replicas.js',
      external: true,
    }));
  },
};

/** The program, which also exports what replicas share with it. */
function programSource() {
  const files = ['./src/main.ts', ...shared];
  return files.map((file) => `export * from ${JSON.stringify(file)};\n`).join('');
}

/** The types of the package, in one file that imports no other types. */
async function packageTypes() {
  const { variantTypes } = await tsImport('./package-types.ts', import.meta.url);
  const types = [
    'service/admin/request-pattern.ts',
    'service/faults/fault.ts',
    'service/journal/journal-entry.ts',
    'package/types.ts',
  ]
    .map((file) => readFileSync(`src/${file}`, 'utf8'))
    .map((text) => text.replaceAll(/^(?:import type .*|export type \{.*\});\n+/gm, ''))
    .join('\n');
  const declaration = 'export declare const startTodoService: StartTodoService;\n';
  // The types of `await using`, also for projects whose `lib` lacks them.
  const library = '/// <reference lib="esnext.disposable" />\n\n';
  return `${library}${types}\n${variantTypes()}\n${declaration}`;
}

/**
 * The file that starts a program, or loads the package. Every Node can parse it, so a Node that
 * could not load the rest gets the reason instead of a stack.
 * @param supported the statement for a supported Node
 * @param unsupported the statement for any other runtime, which uses `reason`
 */
function launcher(supported, unsupported) {
  const source = readFileSync('src/service/runtime.ts', 'utf8').replace(/^export /gm, '');
  const { code } = transformSync(source, { loader: 'ts', target: 'es2015' });
  return `'use strict';
${code}
const reason = unsupportedRuntime(process.versions);
if (reason === undefined) ${supported}
else ${unsupported}
`;
}

function isInstalled(name) {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch {
    return false;
  }
}

/** Whether dist/ is newer than everything that it is made from. */
function isUpToDate() {
  if (!existsSync('dist/index.d.ts')) return false;
  const built = statSync('dist/index.d.ts').mtimeMs;
  const filesIn = (folder) => readdirSync(folder, { recursive: true }).map((f) => join(folder, f));
  const sources = ['package.json', 'tsconfig.json', ...['scripts', 'src'].flatMap(filesIn)];
  return sources.every((file) => statSync(file).mtimeMs <= built);
}

/** Replaces the files of a folder with others, each atomically. */
function replaceFiles(folder, from) {
  mkdirSync(folder, { recursive: true });
  const names = readdirSync(from);
  for (const name of names) renameSync(join(from, name), join(folder, name));
  for (const name of readdirSync(folder)) {
    if (!names.includes(name)) rmSync(join(folder, name), { recursive: true, force: true });
  }
}

const folder = mkdtempSync('dist-');
try {
  const options = {
    bundle: true,
    platform: 'node',
    target: 'node20.20',
    format: 'cjs',
    tsconfig: 'tsconfig.json',
    logLevel: 'warning',
  };
  const buildFile = (name, entry, plugins, ending = 'js') =>
    build({ ...options, ...entry, plugins, outfile: join(folder, `${name}.${ending}`) });
  const entry = (file) => ({ entryPoints: [file] });
  await buildFile('healthcheck', entry('src/healthcheck.ts'), []);
  await buildFile('library', entry('src/package/index.ts'), [page]);
  await buildFile('replicas', entry('src/replicas/configured-store.ts'), [sharedFiles]);
  const program = { stdin: { contents: programSource(), resolveDir: '.' } };
  await buildFile('program', program, [page, replicas]);
  const main = launcher(
    "require('./program.js');",
    "{ process.stderr.write('todo-service: ' + reason + '\\n'); process.exitCode = 2; }",
  );
  writeFileSync(join(folder, 'main.js'), `#!/usr/bin/env node\n${main}`, { mode: 0o755 });
  // For a download: the whole program in one file, which runs without any other. Its name says that
  // it is CommonJS, also below a package.json of ES modules.
  await buildFile('todo-service', entry('src/main.ts'), [page], 'cjs');
  // Both statements are forms in which Node finds the names that ES modules import.
  const index = launcher(
    "module.exports = require('./library.js');",
    'exports.startTodoService = () => Promise.reject(new Error(reason));',
  );
  writeFileSync(join(folder, 'index.js'), index);
  writeFileSync(join(folder, 'package.json'), '{ "type": "commonjs" }\n');
  writeFileSync(join(folder, 'index.d.ts'), await packageTypes());
  replaceFiles('dist', folder);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
