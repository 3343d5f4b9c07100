import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '../../support/client.ts';
import { itemPath, LIST } from '../../support/paths.ts';
import { ServiceProcess } from '../../support/process.ts';
import { LONG } from '../../unit/lib/table/support/random.ts';
import { fill, latencies, Readers, summary } from './measure.ts';
import { TELLS_MEMORY, toldMemory } from './memory.ts';

const ROWS = Number(process.env.ROWS ?? 1_000_000);
const GETS = 3_000;

/** The maximum memory that all open lists together may use besides the items. */
const LISTS_HOLD_MIB = 64;

/** The load while one client requests a single item. */
const SCENES = [
  ['one list', LIST, 1, 'fast'],
  ['50 lists', LIST, 50, 'fast'],
  ['50 lists that nobody reads', LIST, 50, 'stuck'],
  ['200 lists, more than are served at once', LIST, 200, 'fast'],
  ['10 searches without a hit', `${LIST}?search=q`, 10, 'fast'],
  ['2 sorted lists', `${LIST}?sort=title`, 2, 'fast'],
] as const;

it(`other requests are served beside long lists of ${ROWS} items`, {
  skip: !LONG,
}, async (test) => {
  const env = { ...TELLS_MEMORY, MAX_ROWS: String(ROWS) };
  const service = new ServiceProcess(test, ['--port=0'], env);
  const port = Number(new URL(await service.baseUrl()).port);
  const client = new Client(`http://127.0.0.1:${port}`);
  test.after(() => client.close());
  const start = performance.now();
  await fill(port, ROWS);
  const seconds = (performance.now() - start) / 1_000;
  const tellMemory = async () => {
    service.signal('SIGUSR2');
    await sleep(3_000);
  };
  await tellMemory();
  test.diagnostic(`filled in ${seconds.toFixed(1)} s`);
  test.diagnostic(`alone: ${summary(await latencies(port, itemPath(1), GETS))}`);
  for (const [title, path, count, pace] of SCENES) {
    const readers = new Readers(port, path, count, pace);
    await sleep(2_000);
    const times = await latencies(port, itemPath(1), GETS);
    assert.equal((await client.get('/readyz')).status, 200);
    test.diagnostic(`${title}: ${summary(times)}`);
    await tellMemory();
    readers.stop();
    await sleep(500);
  }
  service.signal('SIGTERM');
  const [alone, ...held] = toldMemory((await service.exit).stdout);
  assert(alone);
  for (const [i, [title]] of SCENES.entries()) {
    const more = (held[i]?.heap ?? Number.NaN) - alone.heap;
    test.diagnostic(`${title}: ${more} MiB of heap more than the ${alone.heap} MiB of the items`);
    assert(more < LISTS_HOLD_MIB, `${title} hold ${more} MiB`);
  }
});
