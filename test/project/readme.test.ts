import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { EventSource } from 'undici';
import { variableOf } from '../../src/lib/config/setting.ts';
import { KEYWORDS } from '../../src/service/resource/schema/keywords.ts';
import { resourceOfFile } from '../../src/service/resource/schema/resource-file.ts';
import { SETTINGS } from '../../src/service/settings/service-settings.ts';
import { variantA } from '../../src/service/todo/variant-a.ts';
import { ROOT } from '../support/folder.ts';
import { missing } from '../support/programs.ts';
import { firstCommands, WAYS_IN } from '../support/readme.ts';
import { startApp } from '../support/service.ts';
import { until } from '../support/until.ts';

const README = readFileSync(join(ROOT, 'README.md'), 'utf8');
const run = promisify(execFile);

/** Why the commands of documents cannot run here, if they cannot. */
const skip = missing('sh', 'curl');

/** Defaults that depend on the machine, as the page states them. */
const STATED_DEFAULTS: Readonly<Record<string, string>> = {
  MAX_BYTES: 'two fifths of the data heap',
};

const note = resourceOfFile(join(ROOT, 'examples/own-resource/note.schema.json'));

for (const [name, least, definition] of [
  ['README.md', 6, variantA],
  ['docs/api.md', 6, variantA],
  ['docs/resource.md', 3, note],
] as const) {
  describe(name, () => {
    const text = readFileSync(join(ROOT, name), 'utf8');

    it('has examples that print what it shows, in order', { skip }, async (test) => {
      const { port } = await startApp(test, definition);
      const examples = [
        ...text.matchAll(/```sh\n(curl [^`]+)```(?:\n\n```(json|http)\n([^`]+)```)?/g),
        // Programs run only if the page shows their output.
        ...text.matchAll(/```js\n((?:[^`]|`(?!``))+)```\n\n```(text)\n([^`]+)```/g),
      ];
      assert(examples.length >= least);
      for (const [, source = '', form, shown = ''] of examples) {
        const script = withoutTimes(source.replaceAll(':8080', `:${port}`));
        const { stdout } =
          form === 'text'
            ? await run(process.execPath, ['--input-type=module', '-e', script], { cwd: ROOT })
            : await run('sh', ['-c', `${script}\n:`]);
        if (form === 'http') assertLines(stdout, shown, source);
        else assert.equal(stdout.trim(), shown.trim(), source);
      }
    });

    it('shows no other curl commands', () => {
      const blocks = [...text.matchAll(/```sh\n([^`]+)```/g)].map(([, block = '']) => block);
      const others = blocks.filter((block) => !/^curl /.test(block));
      assert(!others.some((block) => /\bcurl\b/.test(block)));
    });
  });
}

it('docs/api.md keeps the items of its example of events up to date', async (test) => {
  const [, source = ''] =
    /```js\n((?:(?!```).)*new EventSource.*?)```/s.exec(
      readFileSync(join(ROOT, 'docs/api.md'), 'utf8'),
    ) ?? [];
  const { baseUrl } = await startApp(test, variantA, { env: { ADMIN_TOKEN: 'secret' } });
  const program = source.replace('http://localhost:8080', baseUrl);
  const silences: (() => void)[] = [];
  const setTimeout = (onSilence: () => void) => silences.push(onSilence);
  const { eventsNow, itemsNow } = new Function(
    ...['EventSource', 'setTimeout', 'clearTimeout'],
    `${program}\nreturn { eventsNow: () => events, itemsNow: () => items };`,
  )(EventSource, setTimeout, () => {});
  test.after(() => eventsNow().close());
  const send = (method: string, path: string, content?: object) => {
    const headers = { authorization: 'Bearer secret', 'content-type': 'application/json' };
    const body = content && JSON.stringify(content);
    return fetch(baseUrl + path, { method, headers, ...(body !== undefined && { body }) });
  };
  const shows = (...titles: readonly string[]) =>
    until(titles.join(), async () => {
      const shown: ReadonlyMap<number, { title: string }> = (await itemsNow()) ?? new Map();
      return [...shown.values()].map(({ title }) => title).join() === titles.join();
    });
  await shows();
  for (const title of ['x', 'y', 'z']) await send('POST', '/api/todos', { title });
  await send('PATCH', '/api/todos/1', { title: 'u' });
  await send('DELETE', '/api/todos/2');
  await shows('u', 'z');
  await send('POST', '/admin/reset', [{ title: 'v' }]);
  await shows('v');

  const silent = eventsNow();
  silent.dispatchEvent(new Event('ping'));
  assert.equal(silences.length, 2, 'it waits again after a ping');
  silences[1]?.();
  assert.equal(silent.readyState, EventSource.CLOSED);
  await send('POST', '/api/todos', { title: 'w' });
  await shows('v', 'w');
});

describe('README.md', () => {
  it('begins with the ways in, each of which a test goes', () => {
    assert.deepEqual(firstCommands(), Object.values(WAYS_IN));
  });

  it('names the versions of Node that engines, .nvmrc and start.js name', () => {
    const { engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const text = README.replaceAll(/\s+/g, ' ');
    assert.equal(engines.node, '^20.20.2 || >=22.3');
    assert(text.includes('(20.20.2 or a later 20, or 22.3 or newer)'));
    const runsSources = 'Node 22.18, 23.6 or newer';
    assert(text.includes(`node start.js # nothing to install; ${runsSources}`));
    assert(readFileSync(join(ROOT, 'start.js'), 'utf8').includes(`use ${runsSources}`));
    const ofImages = /^ARG NODE_IMAGE=node:(\d+)/m.exec(
      readFileSync(join(ROOT, 'Dockerfile'), 'utf8'),
    );
    assert.equal(readFileSync(join(ROOT, '.nvmrc'), 'utf8').trim(), ofImages?.[1]);
  });

  it('has a package example that compiles', async (test) => {
    const [item] = await itemsOfExample(test, README, 'todos');
    assert.deepEqual(Object.keys(Object(item)).slice(0, 2), ['id', 'title']);
  });
});

describe('docs/resource.md', () => {
  const page = readFileSync(join(ROOT, 'docs/resource.md'), 'utf8');

  it('has a package example that compiles', async (test) => {
    const [item] = await itemsOfExample(test, page, 'notes');
    assert.deepEqual(Object.keys(Object(item)).slice(0, 2), ['id', 'subject']);
  });

  it('lists the keywords that a schema may have', () => {
    const [, table = ''] = /\n## The schema\n.*?(\n\|.*?)\n\n/s.exec(page) ?? [];
    const cells = [...table.matchAll(/^\| (`[^|]+) \|/gm)].map(([, cell = '']) => cell);
    const listed = cells.flatMap((cell) =>
      [...cell.matchAll(/`([$\w-]+)`/g)].map(([, name]) => name),
    );
    for (const keyword of [...KEYWORDS, '$ref', 'anyOf']) assert(listed.includes(keyword), keyword);
  });
});

/** Runs the example of the package on a page, and returns the items of its last variable. */
async function itemsOfExample(
  test: TestContext,
  page: string,
  variable: string,
): Promise<readonly unknown[]> {
  const [, example = ''] = /```ts\n(.+?)```/s.exec(page) ?? [];
  assert(example.includes('startTodoService'));
  const folder = mkdtempSync(join(ROOT, 'test', 'readme-'));
  test.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'example.ts');
  const program = example.replace("'todo-service'", "'../../dist/index.js'");
  writeFileSync(file, `${program}console.log(JSON.stringify(${variable}));\n`);
  const { stdout } = await run(process.execPath, ['--import', 'tsx', file], { cwd: ROOT });
  return JSON.parse(stdout);
}

describe('examples/own-resource', { skip }, () => {
  const text = readFileSync(join(ROOT, 'examples/own-resource/README.md'), 'utf8');
  const [first = '', ...sections] = text.split(/^## /m);
  for (const [section, file, ...statuses] of [
    [first, 'note', 201],
    [sections[0], 'task', 201, 200],
    [sections[1], 'placeholder', 201, 200],
  ] as const) {
    it(`has requests that succeed with ${file}.schema.json`, async (test) => {
      const schema = join(ROOT, `examples/own-resource/${file}.schema.json`);
      const { port } = await startApp(test, resourceOfFile(schema));
      const blocks = [...(section ?? '').matchAll(/```sh\n(curl [^`]+)```/g)];
      const commands = blocks.flatMap(([, block = '']) => block.trim().split('\n'));
      assert.equal(commands.length, statuses.length);
      for (const [i, command] of commands.entries()) {
        const script = command.replace('curl ', "curl -w '%{http_code}' -o /dev/null ");
        const { stdout } = await run('sh', ['-c', script.replace(':8080', `:${port}`)]);
        assert.equal(stdout, String(statuses[i]), command);
      }
    });
  }
});

describe('docs/operations.md', () => {
  const page = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8');

  it('lists the same settings as --help: add a line for a new one', () => {
    const listed = [...page.matchAll(/^\| `([A-Z_]+)` \| (.+) \| (.+) \|$/gm)].map(
      ([, variable, fallback, description]) => ({ variable, fallback, description }),
    );
    const shown = Object.entries(SETTINGS).filter(([, each]) => each.withdrawn === undefined);
    const settings = shown.map(([name, { defaultText, description }]) => {
      const variable = variableOf(name);
      const isWords = defaultText === 'none' || defaultText.includes(' ');
      const fallback = STATED_DEFAULTS[variable] ?? (isWords ? defaultText : `\`${defaultText}\``);
      return { variable, fallback, description };
    });
    assert.deepEqual(listed, settings);
  });
});

describe('docs/testing.md', () => {
  const page = readFileSync(join(ROOT, 'docs/testing.md'), 'utf8');

  it('starts a process from Python', { skip: missing('python3') }, async () => {
    const [, source = ''] = /```python\n(.+?)```/s.exec(page) ?? [];
    const script = `${source}
import urllib.request
print(urllib.request.urlopen(url + '/api/todos').read().decode())
service.terminate()
print(service.wait())`;
    const { stdout } = await run('python3', ['-c', script], { cwd: ROOT });
    assert.deepEqual(stdout.split(/\r?\n/), ['[]', '0', '']);
  });

  it('has curl examples that succeed', { skip }, async (test) => {
    const { port } = await startApp(test, variantA, { env: { ADMIN_TOKEN: 'secret' } });
    const examples = [...page.matchAll(/```sh\n(curl [^`]+)```/g)];
    assert(examples.length >= 2);
    for (const [, commands = ''] of examples) {
      const script = commands.replaceAll('curl ', 'curl -sf ').replaceAll(':8080', `:${port}`);
      await run('sh', ['-c', script]);
    }
  });

  it('prevents a lost update over HTTP', { skip }, async (test) => {
    const { port, client } = await startApp(test, variantA, { env: { ADMIN_TOKEN: 'secret' } });
    await client.post('/api/todos', { title: 'Buy milk' });
    const [, commands = ''] = /```sh\n(token=[^`]+)```/.exec(page) ?? [];
    const { stdout } = await run('sh', ['-c', commands.replaceAll(':8080', `:${port}`)]);
    assert.match(stdout, /"status":412/);
    const { text } = await client.get('/api/todos/1');
    assert.match(text, /"title":"Buy oat milk"/);
  });
});

/**
 * Changes an example that reads events for a fixed time. It then waits for the first event before
 * it goes on, and for the event of an item before it ends.
 */
function withoutTimes(script: string): string {
  const waitFor = (line: string) => `until grep -q '^${line}' $seen; do sleep 0.05; done`;
  const waiting = script
    .replace(
      /^curl -sN --max-time 1 (\S+) & sleep 0\.5$/m,
      (_, url) => `seen=$(mktemp)\ncurl -sN ${url} > $seen &\n${waitFor('event: ready')}`,
    )
    .replace(/^wait$/m, `${waitFor('data: {"id"')}\nkill $!\ncat $seen\nrm $seen`);
  assert.doesNotMatch(waiting, /--max-time|sleep \d+\.5/);
  return waiting;
}

/** Asserts that the output has every line of an excerpt, in the same order. */
function assertLines(output: string, excerpt: string, message: string): void {
  const lines = output.split(/\r?\n/);
  let next = 0;
  for (const line of excerpt.trim().split('\n')) {
    const found = lines.indexOf(line, next);
    assert(found >= next, `${message}\nhas no line\n${line}\nfrom line ${next} on in\n${output}`);
    next = found + 1;
  }
}
