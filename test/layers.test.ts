import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

/** Which layer may import which others; `.` is src itself, where the parts are put together. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  table: [],
  json: [],
  http: ['json'],
  resource: ['table', 'http', 'json'],
  todo: ['resource', 'table', 'http', 'json'],
  openapi: ['todo', 'resource', 'http', 'json', '.'],
  '.': ['openapi', 'todo', 'resource', 'http', 'table', 'json'],
};

/** What a file of `.` may be imported by, beside its own layer: facts and nothing else. */
const ALLOWED_OF_ROOT = ['version.ts'];

const SRC = fileURLToPath(new URL('../src', import.meta.url));
const IMPORT = /^(?:import|export)\s(?:[^'"]*?\sfrom\s+)?'([^']+)'|\bimport\('([^']+)'\)/gm;

function importsOf(file: string): string[] {
  const source = readFileSync(join(SRC, file), 'utf8');
  return [...source.matchAll(IMPORT)].map(([, from, dynamic]) => from ?? dynamic ?? '');
}

function layerOf(file: string): string {
  return file.includes('/') ? file.slice(0, file.indexOf('/')) : '.';
}

describe('the layers of src', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );

  it('are the ones there are', () => {
    assert.deepEqual(new Set(files.map(layerOf)), new Set(Object.keys(ALLOWED)));
  });

  for (const file of files) {
    it(`let ${file} import what it may`, () => {
      for (const specifier of importsOf(file)) {
        if (specifier.startsWith('node:')) continue;
        assert.match(
          specifier,
          /^\.\.?\/.*\.ts$/,
          'no package is imported, and a path ends with .ts',
        );
        const target = relative(SRC, normalize(join(SRC, dirname(file), specifier)));
        const [from, to] = [layerOf(file), layerOf(target)];
        if (from === to) continue;
        assert(ALLOWED[from]?.includes(to), `${from} must not import ${to} (${specifier})`);
        if (to === '.')
          assert(ALLOWED_OF_ROOT.includes(target), `${from} must not import ${target}`);
      }
    });
  }
});
