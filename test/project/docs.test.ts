import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { PROBLEMS } from '../../src/lib/http/messages/problem.ts';
import { OPERATORS, type Operator } from '../../src/lib/table/index.ts';
import { SERVICE_PROBLEMS } from '../../src/service/problem-types.ts';
import { PARAMETER_CODES } from '../../src/service/resource/query/parameters.ts';
import { VIOLATION_CODES } from '../../src/service/resource/validation.ts';
import { variantB } from '../../src/service/todo/variant-b.ts';
import { startApp } from '../support/service.ts';

const ROOT = new URL('../..', import.meta.url);

const ERRORS = page('api.md').split('\n## Errors\n')[1] ?? '';

/** The words for the kinds of fields that an operator fits. */
const FITTING = new Map([
  ['integer,bigint,number,text,timestamp,instant,boolean', 'every field'],
  ['integer,bigint,number,text,timestamp,instant', 'numbers, strings, date-times'],
  ['text', 'strings'],
]);

/** The status of each problem that has one of its own. */
const STATUSES = new Map<string, number | undefined>([
  ...Object.entries(PROBLEMS).map(([code, { status }]) => [code, status] as const),
  ...Object.entries(SERVICE_PROBLEMS),
]);

describe('docs/api.md', () => {
  it('lists the codes in /openapi.json, each with its status', async (test) => {
    const { baseUrl } = await startApp(test, variantB);
    const { components } = JSON.parse(await (await fetch(`${baseUrl}/openapi.json`)).text());
    const { description } = components.schemas.Problem.properties.code;
    const codes = / One of (.+)\.$/.exec(description)?.[1]?.split(', ') ?? [];
    const rows = ERRORS.matchAll(/^\| `([\w-]+)` \| (\d{3}(?: to \d{3})?) \|/gm);
    assert.deepEqual(
      [...rows].map(([, code, status]) => `${code} ${status}`).toSorted(),
      codes.map((code) => `${code} ${STATUSES.get(code) ?? '400 to 599'}`).toSorted(),
      'each row of the table "Codes" has the code and the status of a problem',
    );
  });

  it('lists the fields of an item, and the operators with the fields that they fit', () => {
    const [, items = ''] = /\n## Items\n(.*?)\n### /s.exec(page('api.md')) ?? [];
    const fields = [...items.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
    // Later fields may follow (CONTRIBUTING.md: "A worked example: a field").
    assert.deepEqual(fields, Object.keys(variantB.fields).slice(0, 6));
    const [, filters = ''] = /\n### Filters\n(.*?)\n### /s.exec(page('api.md')) ?? [];
    const rows = [...filters.matchAll(/^\| (`eq`.*|`\w+`.*) \| (.+) \|$/gm)];
    const listed = rows.flatMap(([, names = '', words = '']) =>
      [...names.matchAll(/`([a-z]\w*)`/gi)].map(([, name = '']) => [name, words] as const),
    );
    const operators = Object.entries<Operator>(OPERATORS).map(
      ([name, { kinds, isNullTest }]) =>
        [name, isNullTest ? 'fields that may be null' : FITTING.get(String(kinds))] as const,
    );
    const byName = (a: readonly unknown[], b: readonly unknown[]) =>
      String(a) < String(b) ? -1 : 1;
    const withoutLiterals = listed.filter(([name]) => name !== 'true' && name !== 'false');
    assert.deepEqual(withoutLiterals.toSorted(byName), operators.toSorted(byName));
  });

  it('lists the codes of all rules for request content, in their order', () => {
    const [, table = ''] = /\n### Rules of content\n(.*?)\n##/s.exec(ERRORS) ?? [];
    const rows = table.matchAll(/^\| (`[\w-]+`(?:, `[\w-]+`)*) \|/gm);
    const listed = [...rows].flatMap(([, codes = '']) => codes.replaceAll('`', '').split(', '));
    assert.deepEqual(listed, [...VIOLATION_CODES]);
  });

  it('lists the reasons to refuse a parameter, in their order', () => {
    const [, table = ''] = /\n### Reasons to refuse a parameter\n(.*?)\n##/s.exec(ERRORS) ?? [];
    const rows = table.matchAll(/^\| `(\w+)` \|/gm);
    assert.deepEqual(
      [...rows].map(([, code]) => code),
      [...PARAMETER_CODES],
    );
  });
});

describe('comments in src refer to sections of pages in docs', () => {
  const references = sources().flatMap((file) => {
    const text = readFileSync(file, 'utf8').replaceAll(/\n \* /g, ' ');
    const found = text.matchAll(/\((\w+\.md): ((?:"[^"]+"(?:, )?)+)\)/g);
    return [...found].map(([, name = '', titles = '']) => ({ file, name, titles }));
  });
  assert(references.length > 10);
  for (const { file, name, titles } of references) {
    it(`${file.pathname.replace(ROOT.pathname, '')}: ${name}, ${titles}`, () => {
      const sections = [...page(name).matchAll(/^##+ (.+)$/gm)].map(([, title]) => title);
      for (const [, title] of titles.matchAll(/"([^"]+)"/g))
        assert(sections.includes(title), title);
    });
  }
});

describe('docs/operations.md', () => {
  it('lists the metrics that the service exposes', async (test) => {
    const { baseUrl } = await startApp(test, variantB);
    await (await fetch(`${baseUrl}/livez`)).text();
    const text = await (await fetch(`${baseUrl}/metrics`)).text();
    const names = [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name = '']) => name);
    const [, table = ''] = /\n### Metrics\n.*?\n(\|.*?)\n\n/s.exec(page('operations.md')) ?? [];
    const cells = [...table.matchAll(/^\|([^|]+)\|/gm)].map(([, cell = '']) => cell);
    const listed = cells.flatMap((cell) =>
      [...cell.matchAll(/`([^`]+)`/g)].flatMap(([, name = '']) => alternativesOf(name)),
    );
    assert.deepEqual(listed.toSorted(), names.toSorted());
  });
});

/** Expands braces in a name, as a shell does. */
function alternativesOf(name: string): string[] {
  const [, before = '', list, after = ''] = /^(.*)\{(.*)\}(.*)$/.exec(name) ?? [];
  return list === undefined ? [name] : list.split(',').map((each) => before + each + after);
}

it('the README links to every page of docs', () => {
  const index = readFileSync(new URL('README.md', ROOT), 'utf8');
  for (const name of readdirSync(new URL('docs/', ROOT))) {
    if (name.endsWith('.md')) assert(index.includes(`(docs/${name}`), name);
  }
});

describe('the links of documents', () => {
  for (const file of documents()) {
    it(`work in ${file.pathname.replace(ROOT.pathname, '')}`, () => {
      for (const [, target = ''] of readFileSync(file, 'utf8').matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^[a-z]+:/.test(target)) continue;
        const url = new URL(target, file);
        assert(existsSync(url), target);
        if (url.hash !== '') assert(anchorsOf(url).has(url.hash), target);
      }
    });
  }
});

function page(name: string): string {
  return readFileSync(new URL(`docs/${name}`, ROOT), 'utf8');
}

function sources(): URL[] {
  return filesBelow('src/').filter(({ pathname }) => pathname.endsWith('.ts'));
}

function documents(): URL[] {
  const own = ['docs/', 'src/', 'bench/', 'examples/', '.github/'].flatMap(filesBelow);
  const top = readdirSync(ROOT).map((name) => new URL(name, ROOT));
  return [...top, ...own].filter(
    ({ pathname }) => pathname.endsWith('.md') && !pathname.includes('node_modules'),
  );
}

function filesBelow(folder: string): URL[] {
  const base = new URL(folder, ROOT);
  if (!existsSync(base)) return [];
  return readdirSync(base, { recursive: true, encoding: 'utf8' }).map(
    (name) => new URL(name.replaceAll('\\', '/'), base),
  );
}

/** The anchors of a document's headings, as Markdown renderers generate them. */
function anchorsOf(file: URL): Set<string> {
  const titles = readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm);
  return new Set(
    [...titles].map(([, title = '']) => {
      const words = title.toLowerCase().replaceAll(/[^\p{L}\p{N} -]/gu, '');
      return `#${words.replaceAll(' ', '-')}`;
    }),
  );
}
