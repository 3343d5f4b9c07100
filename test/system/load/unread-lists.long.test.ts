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

it(`hundreds of lists that clients do not read do not exhaust a heap of ${HEAP_MIB} MiB`, async (test) => {
  const env = { NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}` };
  const service = new ServiceProcess(test, ['--port=0'], env);
  const baseUrl = await service.baseUrl();
  const port = Number(new URL(baseUrl).port);
  // More than the system takes for a client, which would leave nothing with the service.
  await fill(port, 5_000, '.'.repeat(900));
  for (let list = 0; list < 300; list++) {
    const reader = await rawClientFor(test, port);
    reader.socket.pause();
    reader.send(getRequest(LIST));
    // So that each has its first turn, and sends as much of the list as fits.
    await sleep(10);
  }
  const client = clientFor(test, baseUrl);
  const metrics = await client.get('/metrics');
  test.diagnostic(metrics.text.match(/^(todo_bytes|v8js_memory).*$/gm)?.join('; ') ?? '');
  assert.equal(metrics.status, 200);
});
