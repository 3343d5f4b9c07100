// Prints the test files that need only Node, for `node --test`.
import { readdirSync, readFileSync } from 'node:fs';

/** Folders of tests that need more than Node: each has its own script in package.json. */
const APART = ['browser', 'clients', 'examples', 'images', 'replicas'];

/** Folders that run in the process of a group: see test/groups/run-group.ts. */
const groups = JSON.parse(readFileSync('test/groups/groups.json', 'utf8'));

const others = [...APART, ...Object.values(groups).flat()].map((folder) => `${folder}/`);
const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts') && !others.some((each) => file.startsWith(each)))
  .sort();
const all = [...Object.keys(groups).map((name) => `groups/${name}.ts`), ...files];
process.stdout.write(all.map((file) => `test/${file}\n`).join(''));
