// Prints the test files that need only Node, for `node --test`: the quick ones, in groups, or the
// long ones.
import { readdirSync, readFileSync } from 'node:fs';

/** Folders of tests that need more than Node: each has its own script in package.json. */
const APART = ['browser', 'clients', 'environments', 'examples', 'images', 'replicas'].map(
  (folder) => `system/${folder}`,
);

const [suite = 'quick'] = process.argv.slice(2);
const groups = JSON.parse(readFileSync('test/support/groups/groups.json', 'utf8'));
const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts') && !isIn(APART, file))
  .sort();
const isLong = (file) => file.endsWith('.long.test.ts');
const ungrouped = files.filter(
  (file) => !isLong(file) && !isIn(Object.values(groups).flat(), file),
);
const suites = {
  quick: [...Object.keys(groups).map((name) => `support/groups/${name}.ts`), ...ungrouped],
  long: files.filter(isLong),
};
process.stdout.write(suites[suite].map((file) => `test/${file}\n`).join(''));

function isIn(folders, file) {
  return folders.some((folder) => file.startsWith(`${folder}/`));
}
