// Makes dist/: each program as one file, because loading many small ones takes longer than everything else at start.
// CommonJS, because an ES import of node:http makes Node evaluate its WebSocket client too (docs/decisions/0010).
import { rmSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';

rmSync('dist', { recursive: true, force: true });
await build({
  entryPoints: ['src/main.ts', 'src/healthcheck.ts'],
  outdir: 'dist',
  bundle: true,
  platform: 'node',
  target: 'node20.20',
  format: 'cjs',
  define: { 'import.meta.dirname': '__dirname' },
  logLevel: 'warning',
});
writeFileSync('dist/package.json', '{ "type": "commonjs" }\n');
