import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { ROOT } from '../support/folder.ts';
import { ProjectCopy } from '../support/project-copy.ts';

/** New files, changes to files, and the commands that then succeed. */
interface Example {
  readonly files: ReadonlyMap<string, string>;
  readonly diffs: readonly string[];
  readonly commands: readonly string[];
}

/** The properties of a field that items may have, for filters and orders as well. */
const DUE_DATE = `
  kind: 'timestamp', description: 'When it is due.', nullable: true,
  create: {}, update: true,
`;

/** The worked example of CONTRIBUTING.md. */
function workedExample(): Example {
  const text = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
  const [, section = ''] = /^## A worked example: .*?\n(.*?)^## /ms.exec(text) ?? [];
  return {
    files: new Map(
      [...section.matchAll(/`([^`\n]+)`:\n\n```ts\n(.*?)```\n/gs)].map(
        ([, file = '', text = '']) => [file, text],
      ),
    ),
    diffs: [...section.matchAll(/^```diff\n(.*?)^```$/gms)].map(([, text = '']) => text),
    commands: [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text = '']) => text),
  };
}

it('the worked example of CONTRIBUTING.md passes everything that npm test runs', async () => {
  const { files, diffs, commands } = workedExample();
  assert(files.size > 0 && diffs.length > 0 && commands.length > 0);
  const copy = new ProjectCopy();
  const { folder } = copy;
  for (const [file, text] of files) {
    assert(!existsSync(join(folder, file)), `${file} is new`);
    writeFileSync(join(folder, file), text);
  }
  for (const diff of diffs) copy.apply(diff);
  await copy.runAll(commands);
});

it('a nullable field of both variants passes it, too, when the documents show it', async () => {
  const copy = new ProjectCopy();
  const { folder } = copy;
  for (const variant of ['a', 'b']) {
    const file = join(folder, `src/service/todo/variant-${variant}.ts`);
    const text = readFileSync(file, 'utf8');
    const end = /^ {2}\},\n(?= {2}(?:api|alsoKnown))/m;
    assert.match(text, end, file);
    writeFileSync(file, text.replace(end, `    dueDate: {${DUE_DATE}},\n$&`));
  }
  for (const name of ['README.md', 'docs/api.md']) {
    const file = join(folder, name);
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replaceAll(/("completed":\w+,"priority":\d)/g, '$1,"dueDate":null'));
  }
  await copy.runAll(['npx biome check --write src/service/todo', 'npm test']);
});
