import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const CLIENT = join(import.meta.dirname, 'client');

const sha256 = (text: string) => hash('sha256', text, 'base64');

/** The page if the sources run without the packages that build it. */
const WITHOUT_BUNDLER = `<!doctype html><html lang="en"><meta charset="utf-8"><title>todo-service</title>
<p>The API is ready. This page is built from its sources, which needs the development packages:
run <code>npm ci</code>, and start again. See also <a href="openapi.json">the API document</a>.`;

/**
 * Builds the page, in ASCII. A build (scripts/build.js) replaces this module with the result.
 * Without esbuild, the page is a sentence about how to install it.
 */
export async function pageBundle() {
  const build = await bundler();
  if (build === undefined) return { html: WITHOUT_BUNDLER, policy: policyOf('', '') };
  const style = bundled(build, 'page.css');
  const script = bundled(build, 'main.ts');
  const html = readFileSync(join(CLIENT, 'page.html'), 'utf8')
    .replaceAll(/>\s+</g, '><')
    .replaceAll(/\s+/g, ' ')
    .replace('<style></style>', () => `<style>${style}</style>`)
    .replace('<script></script>', () => `<script>${script}</script>`);
  return { html, policy: policyOf(style, script) };
}

/** Loads esbuild on first use; undefined if it is not installed. */
async function bundler() {
  try {
    return (await import('esbuild')).buildSync;
  } catch (error) {
    if (Object(error).code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

function bundled(build: typeof import('esbuild').buildSync, file: string): string {
  const settings = { bundle: true, minify: true, write: false, target: 'es2022' } as const;
  const { outputFiles } = build({ ...settings, entryPoints: [join(CLIENT, file)] });
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
