import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { PROBLEMS } from '../src/http/problem.ts';
import { valueRules } from '../src/resource/rules.ts';

const ERRORS_PAGE = readFileSync(new URL('../docs/errors.md', import.meta.url), 'utf8');

describe('docs/errors.md', () => {
  it('lists the codes and statuses of the table of problems, in its order', () => {
    const listed = [...ERRORS_PAGE.matchAll(/^\| `([\w-]+)` \| (\d{3}) \|/gm)].map(
      ([, code, status]) => `${code} ${status}`,
    );
    assert.deepEqual(
      listed,
      Object.entries(PROBLEMS).map(([code, { status }]) => `${code} ${status}`),
    );
  });

  it('lists the codes of all rules of a body', () => {
    const all = valueRules('text', {
      minLength: 1,
      maxLength: 1,
      minimum: 1,
      maximum: 1,
      notBlank: '',
    });
    for (const code of ['required', 'not-null', 'type', ...all.map((rule) => rule.code)]) {
      assert(ERRORS_PAGE.includes(`\`${code}\``), code);
    }
  });
});
