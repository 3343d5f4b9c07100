import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { describe, it } from 'node:test';
import { clock, type Timer } from '../../../src/lib/clock.ts';
import { startTodoService } from '../../../src/package/index.ts';
import { rawClientFor } from '../../support/raw.ts';
import { getRequest } from '../../support/raw-requests.ts';
import type { Todo } from '../../support/requests.ts';
import { VARIANTS } from '../../support/service.ts';
import { within } from '../../support/within.ts';

/** Hosts of IPv6, if this machine has it. */
const IPV6 = Object.values(networkInterfaces())
  .flat()
  .some((each) => each?.address === '::1')
  ? ['::1', '::']
  : [];

async function todosOf(url: string): Promise<readonly Todo[]> {
  return JSON.parse(await (await fetch(`${url}/api/todos`)).text());
}

describe('a service that cannot start', () => {
  it('leaves no timer behind, and so nothing that one holds', async (test) => {
    const other = await startTodoService();
    test.after(() => other.stop());
    const intervals = new Set<Timer | undefined>();
    const { setInterval, clear } = clock;
    test.mock.method(clock, 'setInterval', (callback: () => void, ms: number) => {
      const timer = setInterval(callback, ms);
      intervals.add(timer);
      return timer;
    });
    test.mock.method(clock, 'clear', (timer: Timer | undefined) => {
      intervals.delete(timer);
      clear(timer);
    });
    const port = Number(new URL(other.url).port);
    await assert.rejects(startTodoService({ port }), { code: 'EADDRINUSE' });
    assert.equal(intervals.size, 0);
    const env = { ADMIN_TOKEN_FILE: '/none' };
    await assert.rejects(startTodoService({ env }), { name: 'ConfigError' });
    assert.equal(intervals.size, 0);
  });
});

describe('a seed that does not fit', () => {
  for (const { name } of VARIANTS) {
    it(`is a SeedError that says why, with variant ${name}`, async () => {
      const seed = Array.from({ length: 400 }, () => ({ title: 'x'.repeat(200) }));
      for (const [env, message] of [
        [{ MAX_ROWS: '10' }, /^the seed is invalid: .+ at most 10 rows$/],
        [{ MAX_BYTES: '65536' }, /^the seed is invalid: .+ maximum of 65536 bytes$/],
      ] as const) {
        await assert.rejects(startTodoService({ variant: name, seed, env }), {
          name: 'SeedError',
          message,
        });
        const service = await startTodoService({ variant: name, env });
        await assert.rejects(service.reset(seed), { name: 'SeedError' });
        await service.stop();
      }
    });
  }
});

it('options that are invalid are refused, each with the reason', async (test) => {
  const other = await startTodoService();
  test.after(() => other.stop());
  for (const [options, message] of [
    ['a', /the options must be an object/],
    [{ sed: [] }, /sed is not an option; the options are variant, port, seed, env/],
    [{ variant: 'none' }, /VARIANT must be a or b/],
    [{ variant: null }, /VARIANT must be a text or a number, not null/],
    [{ variant: {} }, /VARIANT must be a text or a number, not an object/],
    [{ port: ['8080'] }, /PORT must be a text or a number, not an array/],
    [{ port: Number.NaN }, /PORT must be .* not "NaN"/],
    [{ port: Number(new URL(other.url).port) }, /EADDRINUSE/],
    [{ seed: null }, /the seed is invalid: it must be an array/],
    [{ seed: [{ title: 'x', priority: Number.NaN }] }, /#.*\/priority must be an integer/],
    [{ seed: [{ title: 'x' }], env: { SEED_FILE: 'x.json' } }, /set seed or SEED_FILE, not both/],
    [{ env: 'MAX_ROWS=1' }, /env must be an object/],
    [{ env: { MAX_ROWS: '0' } }, /MAX_ROWS must be/],
    [{ env: { STORE: 'etcd' } }, /STORE must be memory in the package/],
    [{ env: { STRICT_QUERY: 1 } }, /STRICT_QUERY must be on or off, not "1"/],
    [{ env: { TZ: 'UTC' } }, /TZ is not a setting that env can have/],
    [{ env: { PORT: '8080' } }, /PORT is not a setting that env can have/],
  ] as const) {
    await assert.rejects(startTodoService(Object(options)), message, JSON.stringify(options));
  }
});

it('options that are undefined or empty count as absent', async () => {
  const env = { MAX_ROWS: 1, STRICT_QUERY: true, ADMIN_TOKEN: undefined, TZ: undefined };
  const options = { port: '', sed: undefined, env, seed: [{ title: 'x' }] };
  const service = await startTodoService(Object(options));
  await service.stop();
  assert.notEqual(new URL(service.url).port, '8080');
});

it('a service has a url that clients can connect to, whatever the host', async (test) => {
  for (const HOST of ['*', '0.0.0.0', 'localhost', '127.0.0.1', ...IPV6, '']) {
    const { url, stop } = await startTodoService({ env: { HOST } });
    test.after(stop);
    assert.equal((await fetch(`${url}/readyz`)).status, 200, url);
    await stop();
    await stop();
  }
});

it('a stop waits a second for requests in flight, and then sends nothing more', async (test) => {
  const seed = Array.from({ length: 20_000 }, () => ({
    title: 'x',
    description: 'y'.repeat(1_000),
  }));
  const service = await startTodoService({ seed });
  const client = await rawClientFor(test, Number(new URL(service.url).port));
  client.socket.pause();
  client.send(getRequest('/api/todos'));
  await service.waitForRequests();
  const start = performance.now();
  await within('the stop', service.stop(), 3_000);
  assert(performance.now() - start > 950, 'it waits for a second');
  client.socket.resume();
  await client.ended;
  // The buffers of the sockets may hold some megabytes.
  assert(client.socket.bytesRead < 10_000_000, `${client.socket.bytesRead} bytes are sent`);
});

it('a call of waitForRequests lasts five seconds by default', async (test) => {
  const service = await startTodoService();
  test.after(() => service.stop());
  const timers: number[] = [];
  test.mock.method(clock, 'setTimeout', (callback: () => void, ms: number) => {
    timers.push(ms);
    return setTimeout(callback, 0);
  });
  await assert.rejects(service.waitForRequests(), /0 of 1 requests came within 5000 ms/);
  assert(timers.includes(5_000), `${timers}`);
});

it('services in one process have their own items', async (test) => {
  for (const variant of VARIANTS) {
    const seed = [{ title: variant.name }];
    const service = await startTodoService({ variant: variant.name, seed });
    test.after(() => service.stop());
    const todos = await todosOf(service.url);
    assert.deepEqual(
      todos.map(({ title }) => title),
      [variant.name],
    );
    assert.equal('createdAt' in Object(todos[0]), 'createdAt' in variant.fields);
  }
});

it('a service copies its arguments, and finds the requests that came', async (test) => {
  const service = await startTodoService();
  test.after(() => service.stop());
  const list = `${service.url}/api/todos`;
  const fault = { status: 503, times: 1 };
  const set = service.faults([fault]);
  fault.status = 200;
  await set;
  assert.equal((await fetch(list)).status, 503);
  await assert.rejects(service.faults([{ delayMs: Number.NaN }]), /delayMs must be .* not NaN/);

  const waiting = service.waitForRequests({ method: 'POST', path: '/api/todos' }, { count: 1 });
  const body = JSON.stringify({ title: 'x' });
  await fetch(list, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
  assert.equal((await waiting)[0]?.content, body);
  assert.equal((await service.requests({ status: 503 })).length, 1);
  await assert.rejects(service.requests({ path: 'x' }), /path must be .* not "x"/);
  await assert.rejects(service.requests(Object({ paht: 'x' })), /paht"? is unknown; use method, /);
  const none = service.waitForRequests({ method: 'PUT' }, { timeoutMs: 1 });
  await assert.rejects(none, /0 of 1 requests came within 1 ms; the filter is .*PUT/);
  await assert.rejects(service.waitForRequests({}, { count: 1.5 }), /count must be .* not 1.5/);

  const seed = [{ title: 'copied', id: 7n }];
  const reset = service.reset(seed);
  seed.push({ title: 'later', id: 8n });
  await reset;
  assert.deepEqual(
    (await todosOf(service.url)).map(({ id }) => id),
    [7],
  );
});

it('an object with entries that are no members is refused, not taken for empty', async (test) => {
  const name = 'ConfigError';
  const options = [[], new Map([['variant', 'b']])];
  for (const each of options) await assert.rejects(startTodoService(Object(each)), { name });
  const env = Object(new Map([['STRICT_QUERY', 'on']]));
  await assert.rejects(startTodoService({ env }), { name });
  const seed = [Object(new Map([['title', 'Buy milk']]))];
  await assert.rejects(startTodoService({ seed }), /#\/0 must be an object, not an iterable/);

  const service = await startTodoService();
  test.after(() => service.stop());
  const requestHeaders = Object(new Headers({ 'X-Test': 'one' }));
  for (const fault of [
    { requestHeaders, status: 503 },
    { headers: requestHeaders, status: 503 },
  ]) {
    await assert.rejects(service.faults([fault]), /, not an iterable object$/);
  }
  const query = Object(new URLSearchParams('count=5'));
  await assert.rejects(service.requests(query), TypeError);
  await assert.rejects(service.waitForRequests({}, query), TypeError);
});
