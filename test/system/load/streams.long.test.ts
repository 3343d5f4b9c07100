import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Client, clientFor } from '../../support/client.ts';
import { itemPath, LIST } from '../../support/paths.ts';
import { ServiceProcess } from '../../support/process.ts';
import { LONG } from '../../unit/lib/table/support/random.ts';
import { latencies, summary } from './measure.ts';

const STREAMS = Number(process.env.STREAMS ?? 1_000);
const WRITES_A_SECOND = 1_000;
const SECONDS = 20;
const GETS = 2_000;
const LISTENERS = fileURLToPath(new URL('listeners.ts', import.meta.url));

it(`${STREAMS} streams get ${WRITES_A_SECOND} writes per second, and other requests are served`, {
  skip: !LONG,
}, async (test) => {
  const service = new ServiceProcess(test, ['--port=0'], {});
  const baseUrl = await service.baseUrl();
  const port = Number(new URL(baseUrl).port);
  const client = clientFor(test, baseUrl);
  const { id } = (await client.post(LIST, { title: 'often changed' })).json();
  test.diagnostic(`alone: ${summary(await latencies(port, itemPath(id), GETS))}`);

  const expected = SECONDS * WRITES_A_SECOND;
  const listeners = new Listeners(port, STREAMS, expected);
  test.after(() => listeners.stop());
  await listeners.ready;
  const start = performance.now();
  const writing = write(client, itemPath(id), expected);
  const times = await latencies(port, itemPath(id), GETS);
  await writing;
  const wrote = performance.now();
  const missed = await listeners.missed;
  const late = performance.now() - wrote;
  test.diagnostic(`beside them: ${summary(times)}`);
  test.diagnostic(`${expected} writes took ${((wrote - start) / 1_000).toFixed(1)} s`);
  test.diagnostic(`the last stream had all of them ${late.toFixed(0)} ms later`);
  assert.equal(missed, 0, 'no stream missed an event or was cut');
});

/** Updates an item repeatedly, at the configured rate or as fast as possible. */
async function write(client: Client, path: string, count: number): Promise<void> {
  const start = performance.now();
  for (let done = 0; done < count; ) {
    const due = Math.min(count, ((performance.now() - start) / 1_000) * WRITES_A_SECOND);
    const batch: Promise<unknown>[] = [];
    for (; done < due; done++) batch.push(client.put(path, { title: `change ${done}` }));
    await Promise.all(batch);
    await sleep(5);
  }
}

/** Event streams held open by a separate process. */
class Listeners {
  readonly ready: Promise<void>;
  /** The number of streams that ended before they had all expected events. */
  readonly missed: Promise<number>;
  readonly stop: () => void;

  constructor(port: number, count: number, expected: number) {
    const args = ['--import', 'tsx', LISTENERS, ...[port, count, expected].map(String)];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
    this.ready = once(child, 'message').then(([message]) => assert.equal(message, 'ready'));
    this.missed = this.ready.then(() => once(child, 'message')).then(([missed]) => Number(missed));
    this.stop = () => child.kill();
  }
}
