import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '../support/client.ts';
import { ServiceProcess } from '../support/process.ts';
import { LONG } from '../table/support/random.ts';
import { fill, latencies, Readers, residentMiB, summary } from './measure.ts';

const ROWS = Number(process.env.ROWS ?? 1_000_000);
const GETS = 3_000;

/** Who else is there while one client asks for one item. */
const SCENES = [
  ['one list', '/api/todos', 1, 'fast'],
  ['50 lists', '/api/todos', 50, 'fast'],
  ['50 lists that nobody reads', '/api/todos', 50, 'stuck'],
  ['200 lists, more than there are places', '/api/todos', 200, 'fast'],
  ['10 searches without a hit', '/api/todos?search=q', 10, 'fast'],
  ['2 sorted lists', '/api/todos?sort=title', 2, 'fast'],
] as const;

it(`beside long lists of ${ROWS} items, others are served`, { skip: !LONG }, async (test) => {
  const service = new ServiceProcess(test, ['--port=0'], { MAX_ROWS: String(ROWS) });
  const port = Number(new URL(await service.baseUrl()).port);
  const client = new Client(`http://127.0.0.1:${port}`);
  test.after(() => client.close());
  const start = performance.now();
  await fill(port, ROWS);
  const seconds = (performance.now() - start) / 1_000;
  const memory = () => `${residentMiB(service.pid)} MiB`;
  test.diagnostic(`filled in ${seconds.toFixed(1)} s; the service holds ${memory()}`);
  test.diagnostic(`alone: ${summary(await latencies(port, '/api/todos/1', GETS))}`);
  for (const [title, path, count, pace] of SCENES) {
    const readers = new Readers(port, path, count, pace);
    await sleep(2_000);
    const times = await latencies(port, '/api/todos/1', GETS);
    assert.equal((await client.get('/readyz')).status, 200);
    test.diagnostic(`${title}: ${summary(times)}; the service holds ${memory()}`);
    readers.stop();
    await sleep(500);
  }
});
