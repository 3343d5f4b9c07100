import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { it } from 'node:test';
import { inspect } from 'node:util';
import { InvalidInputError, startTodoService } from '../../../src/package/index.ts';
import { ManualTimers } from '../../support/clock.ts';
import { rawClientFor, turns } from '../../support/raw.ts';
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

it('a service that cannot start leaves no timer behind, and so nothing that one holds', async (test) => {
  const other = await startTodoService();
  test.after(() => other.stop());
  const { open: timers } = new ManualTimers(test);
  const port = Number(new URL(other.url).port);
  await assert.rejects(startTodoService({ port }), { code: 'EADDRINUSE' });
  assert.equal(timers.size, 0);
  const env = { ADMIN_TOKEN_FILE: '/none' };
  await assert.rejects(startTodoService({ env }), InvalidInputError);
  assert.equal(timers.size, 0);
});

it('the error of a start shows no secret of a setting', async () => {
  for (const env of [
    { ADMIN_TOKEN: 'x7Kq9 ' },
    { ADMIN_TOKEN_FILE: 'x7Kq9' },
    { FAULTS: '[{"requestHeaders":{"a b":"x7Kq9"},"headers":"x7Kq9","status":200}]' },
  ]) {
    await assert.rejects(startTodoService({ env }), (error) => {
      assert(error instanceof InvalidInputError);
      assert.doesNotMatch(inspect(error, { depth: 9 }), /x7Kq9/);
      return true;
    });
  }
});

for (const { name } of VARIANTS) {
  it(`a seed that does not fit has one violation, which says why, with variant ${name}`, async () => {
    const seed = Array.from({ length: 400 }, () => ({ title: 'x'.repeat(200) }));
    for (const [env, limit] of [
      [{ MAX_ROWS: '1' }, 'one item (MAX_ROWS)'],
      [{ MAX_ROWS: '10' }, '10 items (MAX_ROWS)'],
      [{ MAX_BYTES: '65536' }, '65536 bytes of items (its share of MAX_BYTES)'],
    ] as const) {
      const detail = `must fit into the list, which holds at most ${limit}`;
      const expected = {
        name: 'InvalidInputError',
        message: `the seed is invalid: it ${detail}`,
        violations: [{ pointer: '#', code: 'max-items', detail }],
      };
      await assert.rejects(startTodoService({ variant: name, seed, env }), expected);
      const service = await startTodoService({ variant: name, env });
      await assert.rejects(service.reset(seed), expected);
      await service.stop();
    }
  });
}

it('options that are invalid are refused, each with the reason', async (test) => {
  const other = await startTodoService();
  test.after(() => other.stop());
  for (const [options, message] of [
    ['a', /: it must be an object, not an iterable object$/],
    [{ sed: [] }, /: #\/sed is unknown; did you mean seed\?$/],
    [{ verbose: true }, /: #\/verbose is unknown; use variant, resource, port, seed, env$/],
    [{ variant: 'none' }, /: #\/variant must be a or b, not "none"$/],
    [{ variant: null }, /: #\/variant must not be null$/],
    [{ variant: {} }, /: #\/variant must be a text or a number, not an object$/],
    [{ port: ['8080'] }, /: #\/port must be a text or a number, not an array$/],
    [{ port: Number.NaN }, /: #\/port must be .* not "NaN"$/],
    [{ seed: null }, /^the seed is invalid: it must be an array/],
    [{ seed: [{ title: 'x', priority: Number.NaN }] }, /: #\/0\/priority must be an integer$/],
    [
      { seed: [{ title: 'x' }], env: { SEED_FILE: 'x.json' } },
      /: #\/seed must not be given beside SEED_FILE$/,
    ],
    [{ env: 'MAX_ROWS=1' }, /: #\/env must be an object/],
    [{ env: { MAX_ROWS: '0' } }, /: #\/env\/MAX_ROWS must be an integer from 1 to .* not "0"$/],
    [{ env: { MAX_ROW: '1' } }, /: #\/env\/MAX_ROW is unknown; did you mean MAX_ROWS\?$/],
    [{ env: { ADMIN_TOKEN: 'a b' } }, /: #\/env\/ADMIN_TOKEN must be letters[^"]*$/],
    [{ env: { STORE: 'etcd' } }, /: #\/env\/STORE must be memory in the package$/],
    [{ env: { STRICT: 1 } }, /: #\/env\/STRICT must be on or off, not "1"$/],
    [{ env: { STRICT_QUERY: 'on' } }, /: #\/env\/STRICT_QUERY was withdrawn; STRICT=off ignores /],
    [
      { env: { HOST: '192.0.2.1' } },
      /: #\/env\/HOST must be \* or an address of this machine, not "192.0.2.1": .*EADDRNOTAVAIL/,
    ],
    [
      { env: { HOST: 'nowhere.invalid' } },
      /: #\/env\/HOST must be .* not "nowhere.invalid": getaddrinfo E/,
    ],
    [{ env: { TZ: 'UTC' } }, /: #\/env\/TZ belongs to the whole process/],
    [{ env: { PORT: '8080' } }, /: #\/env\/PORT is the option port$/],
    [
      { env: { EXIT_WITH_STDIN: 'on' } },
      /: #\/env\/EXIT_WITH_STDIN is for a process of its own; call stop\(\) instead$/,
    ],
    [
      { port: -1, env: { SEED_FILE: '', MAX_ROWS: 'x' }, x: 1 },
      /^the options object is invalid: 3 violations: \(1\) #\/port .* \(2\) #\/env\/MAX_ROWS .* \(3\) #\/x /,
    ],
    [
      { env: { SEED_FILE: '/none.json' } },
      /^the seed file \/none.json cannot be used: it cannot be read: ENOENT/,
    ],
  ] as const) {
    await assert.rejects(startTodoService(Object(options)), (error) => {
      assert(error instanceof InvalidInputError, String(error));
      assert(error.violations.length > 0);
      assert.match(error.message, message);
      return true;
    });
  }
  const port = Number(new URL(other.url).port);
  await assert.rejects(startTodoService({ port }), { code: 'EADDRINUSE' });
});

it('options that are undefined or empty count as absent', async () => {
  const unset = { ADMIN_TOKEN: undefined, TZ: '', PORT: undefined, STORE: 'memory' };
  const env = { MAX_ROWS: 1, STRICT: true, ...unset };
  const options = { port: '', sed: undefined, env, seed: [{ title: 'x' }] };
  const service = await startTodoService(Object(options));
  await service.stop();
  assert.notEqual(new URL(service.url).port, '8080');
});

/** Hosts that mean all interfaces; any other host means loopback alone. */
const EVERYWHERE = ['*', '0.0.0.0'];

it('a service has a url that clients can connect to, whatever the host, and no other address', async (test) => {
  for (const HOST of [...EVERYWHERE, 'localhost', '127.0.0.1', ...IPV6, '']) {
    const { url, stop } = await startTodoService({ env: { HOST } });
    test.after(stop);
    assert.equal((await fetch(`${url}/readyz`)).status, 200, url);
    if (process.platform === 'linux' && HOST !== 'localhost' && !HOST.includes(':')) {
      const ready = `${url.replace('127.0.0.1', '127.0.0.2')}/readyz`;
      const other = fetch(ready).then(({ status }) => status);
      assert.equal(await other.catch(() => 'refused'), EVERYWHERE.includes(HOST) ? 200 : 'refused');
    }
    await stop();
    await stop();
  }
});

it('a service ends its event streams on demand', async (test) => {
  const service = await startTodoService();
  test.after(() => service.stop());
  const stream = await fetch(`${service.url}/api/todos/events`);
  service.cutStreams();
  assert.match(await within('the end of the stream', stream.text()), /^event: ready$/m);
});

it('a stop does not wait for requests that may still come', async (test) => {
  const { stop } = await startTodoService();
  const timers = new ManualTimers(test, () => true);
  test.after(() => timers.end());
  await within('the stop, although no timer ends', stop());
});

it('a stop waits a second for requests in flight, and then sends nothing more', async (test) => {
  const item = { title: 'x', description: '😀'.repeat(1_000) };
  const seed = Array.from({ length: 4_000 }, () => item);
  const service = await startTodoService({ seed });
  const client = await rawClientFor(test, Number(new URL(service.url).port));
  client.socket.pause();
  client.send(getRequest('/api/todos'));
  await service.waitForRequests();
  const timers = new ManualTimers(test, (ms) => ms === 1_000);
  test.after(() => timers.end());
  let isStopped = false;
  const stopped = service.stop().then(() => {
    isStopped = true;
  });
  await turns(100);
  assert(!isStopped, 'it waits');
  await timers.end();
  await within('the stop after a second', stopped);
  client.socket.resume();
  await client.ended;
  // The buffers of the sockets may hold some megabytes.
  assert(client.socket.bytesRead < 10_000_000, `${client.socket.bytesRead} bytes are sent`);
});

it('a call of waitForRequests lasts five seconds by default', async (test) => {
  const service = await startTodoService();
  test.after(() => service.stop());
  const timers = new ManualTimers(test, (ms) => ms === 5_000);
  const message = /0 of 1 requests came within 5000 ms/;
  const waiting = assert.rejects(service.waitForRequests(), message);
  await timers.end();
  await within('the end of the wait', waiting);
});

it('a seed may have a Date for createdAt, and unknown members with STRICT=off', async (test) => {
  const createdAt = new Date('2026-11-20T09:30:00.123');
  const seed = [{ title: 'x', createdAt, userId: 1 }];
  await assert.rejects(startTodoService({ variant: 'b', seed }), /#\/0\/userId is unknown; use /);
  const service = await startTodoService({ variant: 'b', seed, env: { STRICT: 'off' } });
  test.after(() => service.stop());
  const [item] = await todosOf(service.url);
  assert.equal(Object(item).createdAt, '2026-11-20T09:30:00.123');
});

it('a service copies its arguments, and finds the requests that came', async (test) => {
  const service = await startTodoService();
  test.after(() => service.stop());
  const list = `${service.url}/api/todos`;
  const fault = { status: 503, times: 1 };
  const set = service.faults([fault]);
  fault.status = 200;
  assert.deepEqual(await set, [{ status: 503, times: 1, hits: 0 }]);
  assert.equal((await fetch(list)).status, 503);
  assert.deepEqual(await service.faults(), [{ status: 503, times: 1, hits: 1 }]);
  await assert.rejects(service.faults([{ status: 503, rate: 2 }, { delayMs: Number.NaN }]), {
    name: 'InvalidInputError',
    message:
      /^the list of faults is invalid.* 2 violations: .* #\/1\/delayMs must be a number from 0 to 3600000, not NaN$/,
  });
  assert.deepEqual(await service.faults(), [{ status: 503, times: 1, hits: 1 }]);

  const waiting = service.waitForRequests({ method: 'POST', path: '/api/todos' }, { count: 1 });
  const body = JSON.stringify({ title: 'x' });
  await fetch(list, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
  assert.equal((await waiting)[0]?.content, body);
  assert.equal((await service.requests({ status: 503 })).length, 1);
  await assert.rejects(service.requests({ path: 'x' }), /path must be .* not "x"/);
  await assert.rejects(
    service.requests(Object({ paht: 'x' })),
    /paht is unknown; did you mean path/,
  );
  await assert.rejects(
    service.waitForRequests({}, { count: 1001 }),
    /count must be an integer from 1 to 1000, not 1001/,
  );
  await assert.rejects(
    service.waitForRequests({}, Object({ timeout: 5 })),
    /did you mean timeoutMs/,
  );

  await service.faults([{ method: 'DELETE', delayMs: 600_000 }]);
  const old = fetch(`${service.url}/api/todos/7`, { method: 'DELETE' });
  await service.waitForRequests({ method: 'DELETE' });
  const seed = [{ title: 'copied', id: 7n }];
  const reset = service.reset(seed);
  seed.push({ title: 'later', id: 8n });
  await reset;
  assert.equal((await old).status, 204, 'a request goes on with the previous list');
  assert.deepEqual(
    (await todosOf(service.url)).map(({ id }) => id),
    [7],
  );
});

it('a list that was removed over HTTP does not remove a later one of its name', async (test) => {
  const service = await startTodoService({ env: { ADMIN_TOKEN: 'x' } });
  test.after(() => service.stop());
  const list = await service.list('anna');
  const removal = { method: 'DELETE', headers: { Authorization: 'Bearer x' } };
  assert.equal((await fetch(`${service.url}/admin/lists/anna`, removal)).status, 204);
  const later = await service.list('anna', [{ title: 'later' }]);
  for (const call of [
    () => list.reset(),
    () => list.faults(),
    () => list.faults([]),
    () => list.requests(),
    () => list.waitForRequests(),
    async () => list.cutStreams(),
  ]) {
    await assert.rejects(call, /^Error: the list has been removed$/, String(call));
  }
  await list.stop();
  assert.deepEqual(
    (await todosOf(later.url)).map(({ title }) => title),
    ['later'],
  );
});

it('a wait that ends in vain says which requests came last', async (test) => {
  const service = await startTodoService();
  test.after(() => service.stop());
  const wait = () => service.waitForRequests({ method: 'PUT' }, { timeoutMs: 0 });
  const start =
    '0 of 1 requests came within 0 ms; the filter is {"method":"PUT"}; of all requests, ';
  await assert.rejects(wait(), { message: `${start}there were none at all` });
  for (let id = 1; id <= 7; id++) await fetch(`${service.url}/api/todos/${id}?_=${id}`);
  const last = [3, 4, 5, 6, 7].map((id) => `GET /api/todos/${id}?_=${id} 404`).join(', ');
  await assert.rejects(wait(), { message: `${start}the last were ${last}` });
});

it('after a stop, all methods but stop() fail, in one line', async () => {
  const service = await startTodoService();
  const waiting = service.waitForRequests({}, { timeoutMs: 60_000 });
  const ended = assert.rejects(waiting, /^Error: 0 of 1 requests came before the service stopped;/);
  await service[Symbol.asyncDispose]();
  await ended;
  const message = 'the service has been stopped';
  for (const call of [
    () => service.list('anna'),
    () => service.reset(),
    () => service.faults(),
    () => service.faults([]),
    () => service.requests(),
    () => service.waitForRequests(),
  ]) {
    await assert.rejects(call, { message });
  }
  assert.throws(() => service.cutStreams(), { message });
  await service.stop();
  await service[Symbol.asyncDispose]();
});

it('an object with entries that are no members is refused, not taken for empty', async (test) => {
  const name = 'InvalidInputError';
  const options = [[], new Map([['variant', 'b']])];
  for (const each of options) await assert.rejects(startTodoService(Object(each)), { name });
  const env = Object(new Map([['STRICT', 'on']]));
  await assert.rejects(startTodoService({ env }), { name });

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
  await assert.rejects(service.requests(query), InvalidInputError);
  await assert.rejects(service.waitForRequests({}, query), InvalidInputError);
});
