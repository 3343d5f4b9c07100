import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { filesBelow } from '../support/folder.ts';

/**
 * The subfolders of a folder, each with the siblings that it may import. A file that lies directly
 * in the folder may import all of them. It is listed only if siblings may import it.
 */
type Imports = Readonly<Record<string, readonly string[]>>;

const MODULES: Readonly<Record<string, Imports>> = {
  '': {
    lib: [],
    'web-page': ['lib'],
    service: ['lib', 'web-page', 'replicas'],
    replicas: ['lib', 'service'],
    package: ['lib', 'service'],
  },
  lib: {
    'node-module.ts': [],
    'clock.ts': ['node-module.ts'],
    'nearest.ts': [],
    'printable.ts': [],
    'masks.ts': [],
    'log.ts': ['clock.ts', 'printable.ts'],
    'steps.ts': [],
    'pending-waits.ts': ['clock.ts'],
    json: [],
    config: ['clock.ts', 'nearest.ts', 'printable.ts'],
    table: [],
    http: ['clock.ts', 'node-module.ts', 'nearest.ts', 'steps.ts', 'json'],
  },
  service: {
    'version.ts': [],
    'problem-types.ts': [],
    'operation.ts': [],
    'memory-plan.ts': [],
    'reserved-paths.ts': [],
    resource: ['operation.ts'],
    store: ['problem-types.ts', 'resource'],
    items: ['problem-types.ts', 'operation.ts', 'resource', 'store'],
    todo: ['resource'],
    'feature.ts': ['operation.ts', 'items'],
    admin: [...['problem-types.ts', 'operation.ts', 'reserved-paths.ts', 'feature.ts', 'resource']],
    faults: [
      ...['problem-types.ts', 'operation.ts', 'reserved-paths.ts', 'feature.ts'],
      ...['resource', 'items', 'admin'],
    ],
    journal: ['operation.ts', 'reserved-paths.ts', 'feature.ts', 'resource', 'items', 'admin'],
    lists: [
      ...['problem-types.ts', 'operation.ts', 'memory-plan.ts', 'reserved-paths.ts', 'feature.ts'],
      ...['resource', 'store', 'items', 'admin'],
    ],
    events: ['operation.ts', 'feature.ts', 'resource', 'store', 'items', 'admin'],
    observe: [
      ...['version.ts', 'reserved-paths.ts', 'operation.ts', 'feature.ts', 'store', 'items'],
    ],
    openapi: ['problem-types.ts', 'operation.ts', 'feature.ts', 'resource', 'items'],
    page: ['operation.ts', 'feature.ts', 'resource', 'store', 'items', 'todo'],
    'cors.ts': ['reserved-paths.ts', 'feature.ts', 'items'],
    settings: ['memory-plan.ts', 'resource', 'todo', 'admin', 'lists', 'cors.ts'],
  },
};

/** The subfolders of a folder, in order: each may import those before it. */
const ROWS: Readonly<Record<string, readonly string[]>> = {
  'lib/http': ['messages', 'request', 'events', 'routing', 'admission', 'server'],
  replicas: ['replica'],
  'replicas/replica': ['etcd'],
  'lib/table': ['text', 'schema', 'condition', 'state', 'query', 'write'],
  'service/resource': ['query', 'schema'],
  'service/items': ['routes'],
  'web-page': ['client'],
  'web-page/client': ['shared', 'api', 'editor', 'list', 'requests', 'reference', 'desk'],
};

/** Bundles the page from its sources; the build replaces this module with the finished page. */
const BUNDLER = { file: 'web-page/bundle.ts', package: 'esbuild' };

/** Files outside of src that the program may import. */
const OUTSIDE = ['../package.json'];

const SRC = fileURLToPath(new URL('../../src', import.meta.url));
/** Matches type-only and dynamic imports, too. */
const IMPORT = /^(?:import|export)\s(?:[^'"]*?\sfrom\s+)?'([^']+)'|\bimport\('([^']+)'\)/gm;

const FILES = filesBelow(SRC).filter((file) => file.endsWith('.ts'));

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
      return posix.join(posix.dirname(file), specifier);
    })
    .filter((path) => !OUTSIDE.includes(path));
}

/** The common folder of two files, and the entry of that folder that has or is each file. */
function parting(file: string, target: string) {
  const [from, to] = [file.split('/'), target.split('/')];
  const depth = from.findIndex((part, index) => part !== to[index]);
  return { folder: from.slice(0, depth).join('/'), from: from[depth] ?? '', to: to[depth] ?? '' };
}

/** Why a file must not import another; undefined if it may. */
function objection(file: string, target: string): string | undefined {
  if (isNotIndex(file, target)) return 'libraries and the page are entered by their index.ts alone';
  const { folder, from, to } = parting(file, target);
  const row = ROWS[folder];
  if (row?.includes(from) && row.indexOf(to) > row.indexOf(from)) return `${to} is above ${from}`;
  const modules = MODULES[folder];
  if (modules === undefined || modules[from] === undefined || modules[from].includes(to))
    return undefined;
  return `${from} may not know ${to}`;
}

/** Whether a file imports a library, or the page, by another file than its index.ts. */
function isNotIndex(file: string, target: string): boolean {
  const [library = ''] = /^(?:lib\/[^/]+|web-page)\//.exec(target) ?? [];
  return library !== '' && !file.startsWith(library) && target !== `${library}index.ts`;
}

/** The folders and files in a folder of src. */
function contentOf(folder: string): ReadonlySet<string> {
  const within = FILES.filter((file) => file.startsWith(folder === '' ? '' : `${folder}/`));
  const skipped = folder === '' ? 0 : folder.length + 1;
  return new Set(within.map((file) => file.slice(skipped).split('/')[0] ?? ''));
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

  it('are exactly the layers listed here', () => {
    for (const [folder, modules] of Object.entries({ ...MODULES, ...ROWS })) {
      const listed = new Set(Array.isArray(modules) ? modules : Object.keys(modules));
      const isListed = (name: string) => listed.has(name) || !name.endsWith('.ts');
      assert.deepEqual(new Set([...contentOf(folder)].filter(isListed)), listed, folder);
    }
  });

  it('are listed for every folder that has folders', () => {
    const parents = FILES.map((file) => posix.dirname(posix.dirname(file))).filter(
      (each) => each !== '.',
    );
    assert.deepEqual(
      [...new Set(parents)].filter((folder) => !(folder in ROWS) && !(folder in MODULES)),
      [],
    );
  });

  it('let each file import only its allowed layers', () => {
    const refused = FILES.flatMap((file) =>
      (imports.get(file) ?? []).flatMap((target) => {
        const reason = objection(file, target);
        return reason === undefined ? [] : `${file} imports ${target}: ${reason}`;
      }),
    );
    assert.deepEqual(refused, []);
  });

  it('have no import cycle, not even of types', () => {
    const cycles = FILES.map((file) => cycleThrough(file, imports));
    assert.deepEqual(cycles.filter(Boolean), []);
  });
});

it('src/lib has no word of to-dos, not even in an example', () => {
  const texts = filesBelow(join(SRC, 'lib')).filter((file) => /\.(?:ts|md)$/.test(file));
  const mentioning = texts.filter((file) =>
    /to-?do/i.test(readFileSync(join(SRC, 'lib', file), 'utf8')),
  );
  assert.deepEqual(mentioning, []);
});
