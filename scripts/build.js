// Builds dist/. Each program is one file, because loading many small ones would take most of the
// start. CommonJS, because an ES import of node:http makes Node evaluate its WebSocket client, too
// (docs/decisions/0010). The service has V8's code beside it (docs/decisions/0101).
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';
import { tsImport } from 'tsx/esm/api';

/** Replaces the page bundler by the finished page. */
const page = {
  name: 'page',
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]src[/\\]web-page[/\\]bundle\.ts$/ }, async () => {
      const { pageBundle } = await tsImport('../src/web-page/bundle.ts', import.meta.url);
      const made = JSON.stringify(pageBundle());
      return { contents: `const page = ${made};\nexport const pageBundle = () => page;\n` };
    });
  },
};

const settings = {
  plugins: [page],
  bundle: true,
  platform: 'node',
  target: 'node20.20',
  format: 'cjs',
  tsconfig: 'tsconfig.json',
  logLevel: 'warning',
};

rmSync('dist', { recursive: true, force: true });
// A function, as Node makes of each CommonJS module; the launcher calls it.
await build({
  ...settings,
  entryPoints: ['src/main.ts'],
  outfile: 'dist/program.js',
  banner: { js: '(function (exports, require, module, __filename, __dirname) {' },
  footer: { js: '})' },
});
await build({ ...settings, entryPoints: ['src/healthcheck.ts'], outdir: 'dist' });
const exported = ['src/package/index.ts', 'src/package/table.ts'];
await build({ ...settings, entryPoints: exported, outdir: 'dist' });
copyFileSync('scripts/launcher.cjs', 'dist/main.js');
chmodSync('dist/main.js', 0o755);
writeFileSync('dist/package.json', '{ "type": "commonjs" }\n');
execFileSync(process.execPath, ['--random-seed=1', 'scripts/code-cache.js'], {
  stdio: ['ignore', 'ignore', 'inherit'],
});

// Self-contained types, so that users of the package need no others.
const { variantTypes } = await tsImport('./package-types.ts', import.meta.url);
const types = [
  'service/features/admin/fault.ts',
  'service/features/admin/journal-entry.ts',
  'package/types.ts',
]
  .map((file) => readFileSync(`src/${file}`, 'utf8'))
  .map((text) => text.replaceAll(/^(?:import type .*|export type \{.*\});\n+/gm, ''))
  .join('\n');
const declaration = 'export declare const startTodoService: StartTodoService;\n';
// For `await using`, whatever else a project has.
const library = '/// <reference lib="esnext.disposable" />\n\n';
writeFileSync('dist/index.d.ts', `${library}${types}\n${variantTypes()}\n${declaration}`);
