import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { variantA } from '../src/todo/variant-a.ts';
import { serviceFor } from './support/service.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const README = readFileSync(join(ROOT, 'README.md'), 'utf8');
const run = promisify(execFile);

describe('the README', () => {
  it('has curl examples that answer as it says, in their order', async (test) => {
    const { port } = await serviceFor(test, variantA);
    const examples = [...README.matchAll(/```sh\n(curl [^`]+)```\n\n```json\n([^`]+)```/g)];
    assert(examples.length >= 7);
    for (const [, commands = '', answer = ''] of examples) {
      const { stdout } = await run('sh', ['-c', commands.replaceAll(':8080', `:${port}`)]);
      assert.equal(stdout, answer.trim(), commands);
    }
  });

  it('has an example of the table engine that runs', async (test) => {
    const [, example = ''] = /```ts\n([^`]+)```/.exec(README) ?? [];
    const folder = mkdtempSync(join(ROOT, 'test', 'readme-'));
    test.after(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'example.ts');
    writeFileSync(file, example.replaceAll("'./src/", "'../../src/"));
    const { stdout } = await run(process.execPath, ['--import', 'tsx', file], { cwd: ROOT });
    assert.equal(stdout, '1 1 0\n');
  });
});
