import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { clientFor } from '../../support/client.ts';
import { LIST } from '../../support/paths.ts';
import { ServiceProcess } from '../../support/process.ts';
import { rawClientFor } from '../../support/raw.ts';
import { getRequest } from '../../support/raw-requests.ts';
import { fill } from './fill.ts';

const HEAP_MIB = 64;

for (const [title, pauseMs] of [
  ['begun at once', 0],
  // Long enough for each list to be sent until the socket's buffer is full.
  ['begun one by one', 10],
] as const) {
  it(`300 lists of 5 MB that clients do not read, ${title}, do not exhaust a heap of ${HEAP_MIB} MiB`, async (test) => {
    const env = { NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}` };
    const service = new ServiceProcess(test, ['--port=0'], env);
    const baseUrl = await service.baseUrl();
    const port = Number(new URL(baseUrl).port);
    // More than the system buffers for a client, so that the service must keep the rest.
    await fill(port, 5_000, '.'.repeat(900));
    const readers = await Promise.all(Array.from({ length: 300 }, () => rawClientFor(test, port)));
    for (const reader of readers) {
      reader.socket.pause();
      reader.send(getRequest(LIST));
      if (pauseMs > 0) await sleep(pauseMs);
    }
    const client = clientFor(test, baseUrl);
    await sleep(500);
    const metrics = await client.get('/metrics');
    test.diagnostic(metrics.text.match(/^(todo_bytes|v8js_memory).*$/gm)?.join('; ') ?? '');
    assert.equal(metrics.status, 200);
    const died = await Promise.race([service.exit, undefined]);
    assert.equal(died?.stderr, undefined, 'the service is still running');
  });
}
