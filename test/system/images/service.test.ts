import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { VERSION } from '../../../src/service/version.ts';
import { Client, clientFor } from '../../support/client.ts';
import { ROOT } from '../../support/folder.ts';
import type { Todo } from '../../support/requests.ts';
import { VARIANTS } from '../../support/service.ts';
import { Container, containerFor, docker, HARDENED, imageOf, run } from './docker.ts';

const README = readFileSync(join(ROOT, 'README.md'), 'utf8');

/** How long `docker stop` may take, in milliseconds. */
const STOP_MS = 1_000;

/**
 * With this many items of a kilobyte, part of the list is still being produced and part is buffered
 * when the service gets the stop signal.
 */
const LONG_LIST = 8_000;

describe('the black-box suite', () => {
  const containers = new Map<string, Container>();
  before(async () => {
    for (const { name } of VARIANTS) {
      const container = await Container.start(imageOf(name), HARDENED);
      containers.set(name, container);
      await container.ready();
    }
  });
  after(() => Promise.all([...containers.values()].map((container) => container.remove())));

  it('passes against both containers', async () => {
    const env: NodeJS.ProcessEnv = { NODE_TEST_CONTEXT: undefined };
    for (const [name, container] of containers)
      env[`BASE_URL_${name.toUpperCase()}`] = await container.baseUrl();
    const { status, stdout, stderr } = await run('npm', ['run', '--silent', 'test:api'], env);
    assert.equal(status, 0, `${stdout}\n${stderr}`);
    for (const container of containers.values()) {
      const { id } = await createIn(container);
      assert(id > 100, `the suite did not run against this container: its next id is ${id}`);
    }
  });
});

it('the image runs as README.md shows, with a token', async (test) => {
  const shown = /^docker run --rm -p 8080:8080 (-e) (ADMIN_TOKEN=(\w+)) todo-service-a\b/m;
  const [, flag = '', variable = '', token] = shown.exec(README) ?? [];
  const container = await containerFor(test, imageOf('a'), [flag, variable]);
  await container.ready();
  const headers = { Authorization: `Bearer ${token}` };
  const { status } = await fetch(`${await container.baseUrl()}/admin/lists`, { headers });
  assert.equal(status, 200);
});

for (const { name: variant } of VARIANTS) {
  describe(`the container of variant ${variant.toUpperCase()}`, () => {
    const image = imageOf(variant);

    it('finishes a list being sent, and stops within a second with status 0', async (test) => {
      let ms = Number.POSITIVE_INFINITY;
      // A busy machine can delay any stop, so only one of three has to be in time.
      for (let tries = 0; tries < 3 && ms >= STOP_MS; tries++) {
        const container = await containerFor(test, image, HARDENED);
        await container.ready();
        const baseUrl = await container.baseUrl();
        const count = await fill(baseUrl, LONG_LIST, 'x'.repeat(900));
        const answer = await getUnread(`${baseUrl}/api/todos`);
        const start = performance.now();
        const stopped = docker('stop', container.id).then(() => performance.now() - start);
        await sleep(100);
        const todos: readonly Todo[] = JSON.parse(await readSlowly(answer));
        assert.equal(todos.length, count);
        ms = await stopped;
        assert.equal(await container.inspect('{{.State.ExitCode}}'), '0');
      }
      assert(ms < STOP_MS, `${ms} ms`);
    });

    it('obeys a stop that comes while Node starts, with --init', async (test) => {
      for (let i = 0; i < 6; i++) {
        const container = await containerFor(test, image, [...HARDENED, '--init']);
        await docker('stop', '--time=3', container.id);
        // 143: Node had no handler yet. The kernel would have dropped the signal to process 1.
        assert.match(await container.inspect('{{.State.ExitCode}}'), /^(?:0|143)$/);
      }
    });

    it('has three threads (docs/operations.md)', async (test) => {
      const container = await containerFor(test, image, [...HARDENED, '--no-healthcheck']);
      await container.ready();
      const [, line] = (await docker('top', container.id, '-o', 'pid,nlwp')).split('\n');
      const [, threads] = line?.trim().split(/\s+/) ?? [];
      assert.equal(threads, '3');
    });

    it('accepts flags as arguments', async () => {
      assert.equal(await docker('run', '--rm', ...HARDENED, image, '--version'), VERSION);
    });
  });
}

describe('createdAt in a container', () => {
  for (const timeZone of ['Asia/Kathmandu', 'America/St_Johns', undefined]) {
    it(`is local to ${timeZone ?? 'UTC where TZ is not set'}`, async (test) => {
      const flags = timeZone === undefined ? [] : ['--env', `TZ=${timeZone}`];
      const container = await containerFor(test, imageOf('b'), [...HARDENED, ...flags]);
      const client = clientFor(test, await container.baseUrl());
      await container.ready();
      const { createdAt } = (await client.post('/api/todos', { title: 'now' })).json();
      // Swedish dates are ISO dates.
      const local = new Date().toLocaleString('sv-SE', { timeZone: timeZone ?? 'UTC' });
      const ms = Date.parse(`${local.replace(' ', 'T')}Z`) - Date.parse(`${createdAt}Z`);
      assert(Math.abs(ms) < 30_000, `${createdAt} is not near ${local}`);
    });
  }
});

describe('a container of 128 MB', () => {
  const start = async (test: TestContext, flags: readonly string[] = []) => {
    const container = await containerFor(test, imageOf('b'), [...HARDENED, ...flags]);
    await container.ready();
    return { container, baseUrl: await container.baseUrl() };
  };
  const assertRunning = async (container: Container) => {
    const state = await container.inspect('{{.State.OOMKilled}} {{.State.Running}}');
    assert.equal(state, 'false true');
  };

  it('keeps 70,000 todos if configured to, and sends them all', {
    timeout: 300_000,
  }, async (test) => {
    const flags = ['--env', 'MAX_ROWS=70000', '--env', 'MAX_BYTES=26000000'];
    const { container, baseUrl } = await start(test, flags);
    await fill(baseUrl, 70_000, 'two litres, from the shop at the corner');
    const todos: readonly Todo[] = JSON.parse(await (await fetch(`${baseUrl}/api/todos`)).text());
    assert.equal(todos.length, 70_000);
    await assertRunning(container);
  });

  it('has a fifth of its memory for items, less the memory of the program', async () => {
    const help = await docker('run', '--rm', ...HARDENED, imageOf('b'), '--help');
    const [, bytes] = /MAX_BYTES .*\(default: (\d+)\)/.exec(help) ?? [];
    assert(Number(bytes) > 20e6, `${bytes} bytes`);
  });

  it('is full before it runs out of memory, and keeps working', {
    timeout: 300_000,
  }, async (test) => {
    const { container, baseUrl } = await start(test);
    await assert.rejects(fill(baseUrl, 1_000_000, 'x'.repeat(500)), /507/);
    const client = clientFor(test, baseUrl);
    const large = { title: 'in their place', description: 'x'.repeat(500) };
    for (let id = 1; id <= 100; id++) {
      assert.equal((await client.delete(`/api/todos/${id}`)).status, 204);
    }
    assert.equal((await client.post('/api/todos', large)).status, 201);
    assert.equal((await client.get('/api/todos?limit=1')).status, 200);
    await assertRunning(container);
  });
});

/** Creates many items over many connections. */
async function fill(baseUrl: string, count: number, description: string): Promise<number> {
  const client = new Client(baseUrl);
  let next = 0;
  const work = async () => {
    while (next < count) {
      const { status } = await client.post('/api/todos', { title: `todo ${next++}`, description });
      assert.equal(status, 201);
    }
  };
  await Promise.all(Array.from({ length: 32 }, work)).finally(() => client.close());
  return next;
}

/** Reads about 100 MB per second: slower than the service, which must not lose buffered bytes. */
async function readSlowly(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let read = 0;
  for await (const chunk of answer) {
    chunks.push(chunk);
    read += chunk.length;
    if (read < 500_000) continue;
    read = 0;
    await sleep(5);
  }
  return Buffer.concat(chunks).toString();
}

async function createIn(container: Container): Promise<Todo> {
  const client = new Client(await container.baseUrl());
  const answer = await client.post('/api/todos', { title: 'one more' });
  await client.close();
  return answer.json();
}

/** A response whose content has not been read. */
function getUnread(url: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false }, resolve).on('error', reject);
  });
}
