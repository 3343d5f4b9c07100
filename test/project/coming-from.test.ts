import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { startTodoService } from '../../src/package/index.ts';
import { readSeed } from '../../src/service/items/seed.ts';
import { rulesOf } from '../../src/service/resource/definition.ts';
import { variantA } from '../../src/service/todo/variant-a.ts';
import { clientFor } from '../support/client.ts';
import { ROOT, temporaryFolder } from '../support/folder.ts';
import { missing } from '../support/programs.ts';
import { configOf, startApp } from '../support/service.ts';

const PAGE = readFileSync(join(ROOT, 'docs/api.md'), 'utf8');
const run = promisify(execFile);

/** A section of the page, and the cells of the rows of its table. */
function section(title: string) {
  const [, text = ''] = PAGE.split(`\n## ${title}\n`);
  const [own = ''] = text.split('\n## ');
  const rows = [...own.matchAll(/^\| (.+) \| (.+) \|$/gm)].slice(1);
  return { text: own, rows: rows.map(([, there = '', here = '']) => ({ there, here })) };
}

/** The texts of a cell that are code, each with the status that the cell says. */
function codeIn(cell: string) {
  const found = cell.matchAll(/`([^`]+)`(?: is (\d{3}))?/g);
  return [...found].map(([, code = '', status]) => ({ code, status: Number(status) }));
}

/** A request of a cell: `POST /api/todos {"title": "x"}`. */
function requestIn(code: string) {
  const [, method, path = '', body] = /^([A-Z]+) (\/\S*)(?: (\{.*\}))?$/.exec(code) ?? [];
  return method === undefined ? undefined : { method, path, body };
}

type Sent = NonNullable<ReturnType<typeof requestIn>>;

/** Starts a service with enough items for each row of a table. */
async function start(test: TestContext) {
  const seed = Array.from({ length: 30 }, (_, i) => ({ id: i + 1, title: `Milk ${i}` }));
  const { client } = await startApp(test, variantA, {
    seed: readSeed(seed, rulesOf(variantA, true), 'the seed is invalid'),
  });
  const send = ({ method, path, body }: Sent) => {
    const headers = { 'content-type': 'application/json' };
    return client.request(method, path, body === undefined ? {} : { headers, body });
  };
  return { client, send };
}

/** Rows without a request. */
const WORDS = ['--delay 500', 'the file keeps changes'];

for (const [title, least] of [
  ['Coming from json-server', 18],
  ['Coming from JSONPlaceholder', 8],
] as const) {
  describe(`docs/api.md: ${title}`, () => {
    const { rows } = section(title);
    it('has its rows', () => assert(rows.length >= least, `${rows.length} rows`));

    for (const { there, here } of rows) {
      it(`${there}`, async (test) => {
        const { send } = await start(test);
        const [old] = codeIn(there).flatMap(({ code }) => requestIn(code) ?? []);
        const now = codeIn(here).map(({ code, status }) => ({ sent: requestIn(code), status }));
        if (old === undefined) {
          assert(WORDS.some((words) => there.includes(words)));
          const [, flag] = /`--faults '(.+)'`/.exec(here) ?? [];
          if (flag !== undefined) configOf({}, ['--faults', flag]);
          return;
        }
        const withPrefix = { ...old, path: `/api${old.path}` };
        const unchanged = now.some(
          ({ sent }) => JSON.stringify(sent) === JSON.stringify(withPrefix),
        );
        if (!unchanged) assert.match(`${(await send(withPrefix)).status}`, /^40[04]$/, there);
        assert.match((await send(old)).text, /; did you mean \/api\/todos/);
        const requests = now.flatMap(({ sent, status }) => (sent ? [{ sent, status }] : []));
        assert(requests.length > 0 || here === 'none');
        for (const { sent, status } of requests) {
          const answer = await send(sent);
          if (Number.isNaN(status)) assert(answer.status < 300, answer.text);
          else assert.equal(answer.status, status, here);
          if (here.includes('array')) assert(Array.isArray(answer.json()));
        }
      });
    }
  });
}

describe('docs/api.md: the proxy that rewrites', () => {
  const [, source = ''] = /```js\n\/\/ vite\.config\.js\n(.+?)```/s.exec(PAGE) ?? [];

  it('serves the items at /todos', async (test) => {
    const { baseUrl } = await startApp(test, variantA);
    const url = `data:text/javascript,${encodeURIComponent(source)}`;
    const { default: config } = await import(url);
    const rules: readonly [string, { target: string; rewrite: (path: string) => string }][] =
      Object.entries(config.server.proxy);
    const [[prefix, { target, rewrite }] = assert.fail('there is no rule')] = rules;
    assert.deepEqual([prefix, target], ['/todos', 'http://127.0.0.1:8080']);
    // As Vite does: requests whose path begins with the prefix go to the target.
    const proxy = http.createServer((request, response) => {
      const { url: path = '', method, headers } = request;
      assert(path.startsWith(prefix));
      const forwarded = http.request(baseUrl + rewrite(path), { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 0, answer.headers);
        answer.pipe(response);
      });
      request.pipe(forwarded);
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    test.after(() => proxy.close());
    const address = proxy.address();
    assert(typeof address === 'object' && address !== null);
    const client = clientFor(test, `http://127.0.0.1:${address.port}`);
    assert.equal((await client.post('/todos', { title: 'Buy milk' })).status, 201);
    assert.equal((await client.put('/todos/1', { completed: true })).json().completed, true);
    assert.equal((await client.get('/todos?search=milk')).json<object[]>().length, 1);
    assert.equal((await client.delete('/todos/1')).status, 204);
  });
});

describe('docs/api.md: the seeds that jq makes', { skip: missing('jq', 'sh') }, () => {
  const commands = [...PAGE.matchAll(/^(jq '.+' )(db|todos)\.json > seed\.json$/gm)];
  const item = { title: 'Buy milk', completed: true };
  const sources = [
    { todos: [{ id: 1, text: 'Buy milk', isDone: true, userId: 1 }] },
    { todos: [{ id: 1, ...item, userId: 1 }], users: [{ id: 1 }] },
    { todos: [{ id: '1', ...item }] },
    [{ userId: 1, id: 1, ...item }],
  ];
  it('are tried', () => assert.equal(commands.length, sources.length));

  for (const [i, [command = '']] of commands.entries()) {
    it(command, async () => {
      const folder = temporaryFolder();
      for (const name of ['db', 'todos']) {
        writeFileSync(join(folder, `${name}.json`), JSON.stringify(sources[i]));
      }
      await run('sh', ['-c', command], { cwd: folder });
      const seed = JSON.parse(readFileSync(join(folder, 'seed.json'), 'utf8'));
      const [first] = readSeed(seed, rulesOf(variantA, true), 'the seed is invalid');
      assert.deepEqual({ ...first, ...item, id: 1 }, first);
    });
  }
});

describe('docs/api.md: Coming from MSW', () => {
  const { rows } = section('Coming from MSW');
  it('has its rows', () => assert(rows.length >= 9, `${rows.length} rows`));

  for (const { there, here } of rows) {
    it(`${there}`, async (test) => {
      const service = await startTodoService();
      test.after(() => service.stop());
      const [{ code } = { code: '' }] = codeIn(here);
      assert.match(code, /^service\.(?:reset|faults|requests)\(/);
      await new Function('service', `return ${code}`)(service);
    });
  }
});
