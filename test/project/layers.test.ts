import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

/** The files at the top of src, which assemble the layers into the program. */
const PROGRAM = 'program';

/** Every layer may import it. */
const CLOCK = 'clock.ts';

/**
 * The layers of src, each with the layers it may import. A layer is a folder, or a file at the top;
 * any other file there belongs to the program.
 */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  [CLOCK]: [],
  json: [],
  table: [],
  'version.ts': [],
  'log.ts': [],
  http: ['json'],
  resource: ['http', 'json', 'table'],
  todo: ['config', 'resource', 'http', 'json', 'table'],
  replica: ['todo', 'json', 'table'],
  openapi: ['http', 'json'],
  'web-page': ['http', 'json'],
  config: [],
  features: ['config', 'http', 'json', 'log.ts'],
  [PROGRAM]: [
    ...['config', 'features', 'openapi', 'web-page', 'replica', 'todo', 'resource', 'http'],
    ...['json', 'table', 'version.ts', 'log.ts'],
  ],
  package: [PROGRAM, 'config', 'features', 'table', 'json', 'todo', 'log.ts', 'version.ts'],
};

/** The folders of a folder, in order: each may import those before it. */
const SUBLAYERS: Readonly<Record<string, readonly string[]>> = {
  http: ['core', 'request', 'events', 'routing', 'server'],
  'http/server': ['receive', 'connection', 'send'],
  'web-page': ['client'],
  'web-page/client': ['shared', 'api', 'editor', 'list', 'requests', 'reference'],
  replica: ['etcd', 'stored', 'read', 'write'],
  todo: ['store', 'routes'],
  table: ['text', 'schema', 'condition', 'pages', 'query', 'write'],
};

/** Bundles the page from its sources; the build replaces this module with the finished page. */
const BUNDLER = { file: 'web-page/bundle.ts', package: 'esbuild' };

/** Files outside of src that the program may import. */
const OUTSIDE = ['../package.json'];

const SRC = fileURLToPath(new URL('../../src', import.meta.url));
/** Matches type-only and dynamic imports, too. */
const IMPORT = /^(?:import|export)\s(?:[^'"]*?\sfrom\s+)?'([^']+)'|\bimport\('([^']+)'\)/gm;

const FILES = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .sort();

/** The imports of a file, except modules of Node: paths relative to src. */
function importsOf(file: string): readonly string[] {
  const source = readFileSync(join(SRC, file), 'utf8');
  return [...source.matchAll(IMPORT)]
    .map(([, from, dynamic]) => from ?? dynamic ?? '')
    .filter((specifier) => !specifier.startsWith('node:'))
    .filter((specifier) => file !== BUNDLER.file || specifier !== BUNDLER.package)
    .map((specifier) => {
      assert.match(
        specifier,
        /^\.\.?\/.*\.(ts|json)$/,
        'imports are relative and include the file extension',
      );
      return relative(SRC, normalize(join(SRC, dirname(file), specifier)));
    })
    .filter((path) => !OUTSIDE.includes(path));
}

function layerOf(file: string): string {
  const [first = ''] = file.split('/', 1);
  return first in LAYERS ? first : PROGRAM;
}

/** The folder within a folder that a file is in; undefined if it is in none. */
function sublayerOf(folder: string, file: string): string | undefined {
  if (!file.startsWith(`${folder}/`)) return undefined;
  const [sublayer, ...rest] = file.slice(folder.length + 1).split('/');
  return rest.length > 0 ? sublayer : undefined;
}

/** An import cycle through a file, if there is one. */
function cycleThrough(start: string, imports: ReadonlyMap<string, readonly string[]>) {
  const seen = new Set<string>();
  const stack = [{ file: start, path: [start] }];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    for (const to of imports.get(next.file) ?? []) {
      if (to === start) return [...next.path, start];
      if (seen.has(to)) continue;
      seen.add(to);
      stack.push({ file: to, path: [...next.path, to] });
    }
  }
  return undefined;
}

describe('the layers of src', () => {
  const imports = new Map(FILES.map((file) => [file, importsOf(file)]));

  it('are all listed here', () => {
    assert.deepEqual(new Set(FILES.map(layerOf)), new Set(Object.keys(LAYERS)));
  });

  it('have exactly the sublayers listed here', () => {
    for (const [folder, sublayers] of Object.entries(SUBLAYERS)) {
      const found = FILES.map((file) => sublayerOf(folder, file));
      assert.deepEqual(new Set(found.filter((name) => name !== undefined)), new Set(sublayers));
    }
  });

  for (const file of FILES) {
    it(`let ${file} import only what it may`, () => {
      for (const target of imports.get(file) ?? []) {
        const [from, to] = [layerOf(file), layerOf(target)];
        const isAllowed = from === to || to === CLOCK || LAYERS[from]?.includes(to);
        assert(isAllowed, `${from} must not import ${to} (${target})`);
        for (const [folder, sublayers] of Object.entries(SUBLAYERS)) {
          const [inside, other] = [sublayerOf(folder, file), sublayerOf(folder, target)];
          if (inside === undefined || other === undefined) continue;
          const isBelow = sublayers.indexOf(other) <= sublayers.indexOf(inside);
          assert(isBelow, `${inside} must not import ${other} (${target})`);
        }
      }
    });

    it(`have no import cycle through ${file}, not even of types`, () => {
      assert.deepEqual(cycleThrough(file, imports), undefined);
    });
  }
});
