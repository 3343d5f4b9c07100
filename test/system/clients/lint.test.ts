import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { it, type TestContext } from 'node:test';
import type { TestOptions } from '../../support/service.ts';
import { VARIANTS } from '../../support/service.ts';
import { documented, HERE } from './documents.ts';
import { run } from './run.ts';

const SETTINGS: Readonly<Record<string, TestOptions>> = {
  bare: { env: { MAX_EVENT_STREAMS: '0' } },
  usual: {},
  whole: { env: { ADMIN_TOKEN: 'a-token' } },
};

/** The documents of both variants, minimal and with everything switched on. */
async function documents(test: TestContext, linter: string) {
  const all = VARIANTS.flatMap((variant) =>
    Object.entries(SETTINGS).map(async ([name, options]) => {
      return documented(test, `${linter}-${name}`, variant, options);
    }),
  );
  return Promise.all(all);
}

it('the documents pass the recommended rules of Redocly', async (test) => {
  const all = await documents(test, 'redocly');
  const files = all.map(({ file }) => file);
  // Probes and metrics have no errors but `default`.
  const options = ['--extends=recommended', '--skip-rule=operation-4xx-response', '--format=json'];
  const output = await run('redocly', 'lint', ...options, ...files);
  const reports = output.split(/(?=\{\s*"totals")/).map((report) => JSON.parse(report));
  assert.equal(reports.length, files.length);
  for (const { problems } of reports) assert.deepEqual(problems, []);
});

it('the documents pass the recommended rules of Spectral', async (test) => {
  const files = (await documents(test, 'spectral')).map(({ file }) => file);
  const rules = `${HERE}generated/spectral-rules.json`;
  writeFileSync(rules, '{ "extends": ["spectral:oas"] }');
  const report = await run('spectral', 'lint', '--quiet', '-f', 'json', '-r', rules, ...files);
  assert.deepEqual(JSON.parse(report), []);
});
