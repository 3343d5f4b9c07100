import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { describe, it } from 'node:test';
import { clock, type Timer } from '../../../src/lib/clock.ts';
import { startTodoService } from '../../../src/package/index.ts';
import { VARIANTS } from '../../support/service.ts';

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
        [{ MAX_ROWS: '10' }, /^the seed is invalid: .+ maximum of 10 rows$/],
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

it('options of another type are refused, and an empty port is a free one', async () => {
  for (const [options, message] of [
    [{ variant: {} }, 'VARIANT must be a text or a number, not an object'],
    [{ port: ['8080'] }, 'PORT must be a text or a number, not an array'],
    [{ port: null }, 'PORT must be a text or a number, not null'],
  ] as const) {
    await assert.rejects(startTodoService(Object(options)), { name: 'ConfigError', message });
  }
  const service = await startTodoService(Object({ port: '' }));
  await service.stop();
  assert.notEqual(new URL(service.url).port, '8080');
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

it('the zone of an address, which no URL has, is not in the url', async (test) => {
  const addresses = Object.values(networkInterfaces()).flat();
  if (!addresses.some((each) => each?.address === '::1')) return test.skip('there is no IPv6');
  const service = await startTodoService({ env: { HOST: '::1%lo' } });
  test.after(() => service.stop());
  assert.equal((await fetch(`${service.url}/readyz`)).status, 200);
});

for (const { name: variant } of VARIANTS) {
  it(`what faults let go on beside a reset does nothing late, with ${variant}`, async (test) => {
    const service = await startTodoService({ variant, seed: [{ title: 'Buy milk' }] });
    test.after(() => service.stop());
    const list = `${service.url}/api/todos`;
    const orders = [
      () => [service.reset(), service.faults([])],
      () => [service.faults([]), service.reset()],
    ];
    for (const both of orders) {
      await service.faults([{ method: 'DELETE', delayMs: 3_600_000 }]);
      const deleted = fetch(`${list}/1`, { method: 'DELETE' });
      await service.waitForRequests({ method: 'DELETE' });
      await Promise.all(both());
      const { status } = await deleted;
      assert.match(await (await fetch(list)).text(), /Buy milk/, `the DELETE got ${status}`);
    }
  });
}
