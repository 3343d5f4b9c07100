import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { it } from 'node:test';
import { ROOT } from '../support/folder.ts';

/** Files whose tests state rules of to-dos, or start variants A and B in this process. */
const OF_TODOS = [
  ...[
    'batch',
    'combined-faults',
    'create',
    'filters',
    'names',
    'patch-list',
    'patch',
    'read-only',
    'rehearsals',
  ],
  ...['strict', 'where'],
];

const SCHEMA = 'test/api/own-resource.schema.json';

it('the tests of the API pass for a resource with a property of each kind', () => {
  const files = readdirSync(`${ROOT}test/api`)
    .filter((file) => file.endsWith('.test.ts') && !file.endsWith('.long.test.ts'))
    .filter((file) => !OF_TODOS.includes(file.replace('.test.ts', '')))
    .map((file) => `test/api/${file}`);
  assert(files.length > 25, `${files.length} files`);
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
  const flags = [
    '--import',
    'tsx',
    '--import',
    './test/support/limits.ts',
    '--test',
    '--test-reporter=tap',
  ];
  const { status, stdout } = spawnSync(process.execPath, [...flags, ...files], {
    cwd: ROOT,
    env: { ...inherited, TEST_RESOURCE: SCHEMA },
    encoding: 'utf8',
  });
  const failures = stdout.match(/^ *not ok .*$/gm) ?? [];
  assert.deepEqual([status, failures], [0, []]);
  const [, passed = '0'] = /^# pass (\d+)$/m.exec(stdout) ?? [];
  assert(Number(passed) > 300, `${passed} tests`);
});
