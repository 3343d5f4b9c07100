// Prints the test files that need only Node, for `node --test`.
import { readdirSync } from 'node:fs';

/** Folders of tests that need more than Node: each has its own script in package.json. */
const APART = ['browser', 'clients', 'examples', 'images', 'replicas'];

/** Folders run in a single process, which is faster: see test/units.ts. */
const UNITS = [
  ...['config', 'json', 'resource', 'table'],
  ...['http/core', 'http/middleware', 'http/request', 'http/response', 'http/routing'],
];

const others = [...APART, ...UNITS].map((folder) => `${folder}/`);
const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts') && !others.some((each) => file.startsWith(each)))
  .sort();
process.stdout.write(['units.ts', ...files].map((file) => `test/${file}\n`).join(''));
