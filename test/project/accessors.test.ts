import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';

const SRC = fileURLToPath(new URL('../../src', import.meta.url));

/**
 * V8 keeps a hidden class for each object literal with an accessor, so one made for each request
 * slows down everything that reads such objects (docs/decisions/0012): that must be a class. These
 * literals are made once.
 */
const MADE_ONCE = [
  'service/resource/content.ts: problemExamples',
  'service/todo/routes/list-query.ts: parameters',
  'service/todo/routes/list-query.ts: parameters',
  'service/todo/routes/query-content.ts: alternatives',
];

const ACCESSOR = /^ +(?:get|set) ([\w$]+)\(/;
const CLASS = /^(?:export )?(?:default )?(?:abstract )?class /;

/** The accessors in a file that are not members of a class at its top level. */
function accessorsOfLiterals(file: string): string[] {
  const found: string[] = [];
  let top = '';
  for (const line of readFileSync(join(SRC, file), 'utf8').split('\n')) {
    if (/^\S/.test(line)) top = line;
    const [, name] = ACCESSOR.exec(line) ?? [];
    const isMember = CLASS.test(top) && line.indexOf(line.trim()) === 2;
    if (name !== undefined && !isMember) found.push(`${file}: ${name}`);
  }
  return found;
}

it('no object literal on the path of a request has an accessor', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' });
  // The page runs in a browser.
  const sources = files.filter((file) => file.endsWith('.ts') && !file.startsWith('web-page/'));
  assert(sources.includes('service/todo/routes/list-routes.ts'));
  assert.deepEqual(sources.flatMap(accessorsOfLiterals).sort(), MADE_ONCE);
});
