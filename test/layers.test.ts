import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

/** What stands at the top of src: the program, put together of its layers. */
const PROGRAM = 'program';

/**
 * The layers of src, each with those that it may import. A layer is a folder, or a file at the top;
 * every file there that is not named is a part of the program.
 */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  json: [],
  table: [],
  'version.ts': [],
  'log.ts': [],
  http: ['json'],
  resource: ['http', 'json', 'table'],
  todo: ['resource', 'http', 'json', 'table'],
  replica: ['todo', 'table'],
  openapi: ['http', 'json'],
  metrics: ['http', 'json'],
  page: ['http', 'json'],
  admin: ['http', 'json'],
  config: ['todo', 'http'],
  [PROGRAM]: [
    ...['config', 'admin', 'metrics', 'openapi', 'page', 'replica', 'todo', 'resource', 'http'],
    ...['json', 'table', 'version.ts', 'log.ts'],
  ],
  package: [PROGRAM, 'config', 'todo', 'log.ts', 'version.ts'],
};

/** The rooms of a layer, in order: each may import those before it. */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  http: ['core', 'request', 'response', 'routing', 'middleware', 'server'],
  page: ['client'],
  replica: ['etcd'],
};

/** What makes the page of its sources; what is shipped has the page in place of it. */
const BUNDLER = { file: 'page/bundle.ts', package: 'esbuild' };

/** What lies outside of src, and is a part of the program all the same. */
const OUTSIDE = ['../package.json'];

const SRC = fileURLToPath(new URL('../src', import.meta.url));
/** Imports of types as well, and those that wait until they are needed. */
const IMPORT = /^(?:import|export)\s(?:[^'"]*?\sfrom\s+)?'([^']+)'|\bimport\('([^']+)'\)/gm;

const FILES = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .sort();

/** What a file imports, beside modules of Node: paths below src. */
function importsOf(file: string): readonly string[] {
  const source = readFileSync(join(SRC, file), 'utf8');
  return [...source.matchAll(IMPORT)]
    .map(([, from, dynamic]) => from ?? dynamic ?? '')
    .filter((specifier) => !specifier.startsWith('node:'))
    .filter((specifier) => file !== BUNDLER.file || specifier !== BUNDLER.package)
    .map((specifier) => {
      assert.match(specifier, /^\.\.?\/.*\.(ts|json)$/, 'no package, and the whole name of a file');
      return relative(SRC, normalize(join(SRC, dirname(file), specifier)));
    })
    .filter((path) => !OUTSIDE.includes(path));
}

function layerOf(file: string): string {
  const [first = ''] = file.split('/', 1);
  return first in LAYERS ? first : PROGRAM;
}

/** The room of a file within its layer; none where it stands above all of them. */
function roomOf(file: string): string | undefined {
  const [layer = '', room = '', ...rest] = file.split('/');
  return layer in ROOMS && rest.length > 0 ? room : undefined;
}

/** A way from a file back to itself, if there is one. */
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

  it('are all there', () => {
    assert.deepEqual(new Set(FILES.map(layerOf)), new Set(Object.keys(LAYERS)));
  });

  it('have the rooms that are named', () => {
    for (const [layer, rooms] of Object.entries(ROOMS)) {
      const found = FILES.filter((file) => layerOf(file) === layer).map(roomOf);
      assert.deepEqual(new Set(found.filter((room) => room !== undefined)), new Set(rooms));
    }
  });

  for (const file of FILES) {
    it(`let ${file} import what it may`, () => {
      for (const target of imports.get(file) ?? []) {
        const [from, to] = [layerOf(file), layerOf(target)];
        const isAllowed = from === to || LAYERS[from]?.includes(to);
        assert(isAllowed, `${from} must not import ${to} (${target})`);
        const rooms = from === to ? ROOMS[from] : undefined;
        const [inside, other] = [roomOf(file), roomOf(target)];
        if (rooms === undefined || inside === undefined || other === undefined) continue;
        const isBelow = rooms.indexOf(other) <= rooms.indexOf(inside);
        assert(isBelow, `${inside} must not import ${other} (${target})`);
      }
    });

    it(`lead from ${file} never back to it, by types either`, () => {
      assert.deepEqual(cycleThrough(file, imports), undefined);
    });
  }
});
