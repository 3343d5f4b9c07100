import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';

const CLIENT = join(import.meta.dirname, 'client');

const sha256 = (text: string) => hash('sha256', text, 'base64');

/** Builds the page, in ASCII. A build (scripts/build.js) replaces this module with the result. */
export function pageBundle() {
  const style = bundled('page.css');
  const script = bundled('main.ts');
  const html = readFileSync(join(CLIENT, 'page.html'), 'utf8')
    .replaceAll(/>\s+</g, '><')
    .replace('<style></style>', () => `<style>${style}</style>`)
    .replace('<script></script>', () => `<script>${script}</script>`);
  return { html, policy: policyOf(style, script) };
}

function bundled(file: string): string {
  const settings = { bundle: true, minify: true, write: false, target: 'es2022' } as const;
  const { outputFiles } = buildSync({ ...settings, entryPoints: [join(CLIENT, file)] });
  return outputFiles.map(({ text }) => text.trim()).join('');
}

/** Allows only its own style, script and origin, and no framing (Content Security Policy 3). */
function policyOf(style: string, script: string): string {
  return [
    "default-src 'none'",
    `script-src 'sha256-${sha256(script)}'`,
    `style-src 'sha256-${sha256(style)}'`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}
