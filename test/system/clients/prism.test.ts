import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { before, it } from 'node:test';
import { promisify } from 'node:util';
import { ApiDocument } from '../../support/api-document.ts';
import type { RecordedExchange } from '../../support/checked-client.ts';
import { VARIANTS } from '../../support/service.ts';
import { documented, HERE } from './documents.ts';
import { judge } from './prism.ts';

const API = `${HERE}../api/`;

/** The exchanges of the black-box tests, one of each form. */
let exchanges: readonly RecordedExchange[];

before(async () => {
  const folder = mkdtempSync(`${tmpdir()}/exchanges-`);
  const file = `${folder}/exchanges.jsonl`;
  const tests = readdirSync(API).filter((name) => name.endsWith('.test.ts'));
  const args = ['--import', 'tsx', '--test', ...tests.map((name) => `${API}${name}`)];
  const { NODE_TEST_CONTEXT, ...env } = process.env;
  const options = { env: { ...env, EXCHANGES: file }, maxBuffer: 2 ** 26 };
  // Other scripts check whether they pass.
  await promisify(execFile)(process.execPath, args, options).catch(() => {});
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  const all: readonly RecordedExchange[] = lines.map((line) => JSON.parse(line));
  exchanges = [...new Map(all.map((exchange) => [formOf(exchange), exchange])).values()];
  rmSync(folder, { recursive: true });
});

/** The form of an exchange: what remains without ids, times and unique words. */
function formOf({ api, method, template, status, headers, text }: RecordedExchange): string {
  const form = text.replaceAll(/"(id|createdAt)":("[^"]*"|\d+)|todos\/\d+|w[0-9a-f]{32}/g, '');
  return JSON.stringify([api, method, template, status, Object.keys(headers), form]);
}

for (const variant of VARIANTS) {
  const name = variant.name.toUpperCase();
  it(`Prism finds no undocumented response of variant ${name}`, async (test) => {
    const { file } = await documented(test, 'prism', variant);
    const { operations } = ApiDocument.of(readFileSync(file, 'utf8'));
    const described = new Set(operations.map(({ method, path }) => `${method} ${path}`));
    const own = exchanges.filter(
      ({ api, method, template }) =>
        api.endsWith(`variant ${name}`) && described.has(`${method} ${template}`),
    );
    assert(own.length > 200, `${own.length} exchanges`);
    const created = own.find(({ status }) => status === 201) ?? assert.fail('one creates');
    const forged = { ...created, text: created.text.replace(/"priority":\d/, '"priority":9') };
    const findings = await judge(test, file, [...own, forged]);
    assert.notDeepEqual(findings.at(-1), [], 'Prism detects an invalid response');
    const wrong = own.flatMap((exchange, index) => {
      const violations = findings[index] ?? [];
      return violations.length > 0 ? [{ violations, exchange }] : [];
    });
    assert.deepEqual(wrong.slice(0, 3), [], `${wrong.length} responses`);
  });
}
