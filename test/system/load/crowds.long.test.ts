import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '../../support/client.ts';
import { itemPath, LIST } from '../../support/paths.ts';
import { ServiceProcess } from '../../support/process.ts';
import { RawClient } from '../../support/raw.ts';
import { createRequest, getRequest } from '../../support/raw-requests.ts';
import { LONG } from '../../unit/lib/table/support/random.ts';
import { fill } from './measure.ts';
import { TELLS_MEMORY, toldMemory } from './memory.ts';

const ROWS = 20_000;

/** Groups of concurrent clients: what each client sends, and whether it reads the response. */
const CROWDS = [
  { count: 5_000, who: 'idle', bytes: getRequest('/livez'), reads: true },
  { count: 250, who: 'half a header', bytes: getRequest('/livez').slice(0, -2), reads: true },
  { count: 250, who: 'half a body', bytes: createRequest().slice(0, -2), reads: true },
  { count: 200, who: 'never reads', bytes: getRequest(LIST), reads: false },
] as const;

it('a healthy client sees no errors beside many others, and memory is released', {
  skip: !LONG,
}, async (test) => {
  const service = new ServiceProcess(test, ['--port=0'], TELLS_MEMORY);
  const port = Number(new URL(await service.baseUrl()).port);
  await fill(port, ROWS);
  const tellMemory = async () => {
    service.signal('SIGUSR2');
    await sleep(1_000);
  };
  await tellMemory();

  const healthy = requestUntil(port);
  const crowd = (await Promise.all(CROWDS.map((one) => gather(port, one)))).flat();
  await sleep(1_000);
  await tellMemory();
  await sleep(8_000);
  for (const client of crowd) client.destroy();
  await sleep(2_000);
  const answers = await healthy.stop();
  await tellMemory();

  service.signal('SIGTERM');
  const { status, stdout } = await service.exit;
  assert.equal(status, 0);
  const [before, during, after] = toldMemory(stdout);
  assert(before && during && after);
  test.diagnostic(
    `${crowd.length} connections; ${answers} responses to the healthy client, no errors`,
  );
  test.diagnostic(`before ${text(before)}; during ${text(during)}; after ${text(after)}`);
  assert(after.heap < before.heap * 1.1 + 10, 'the heap is back to its former size');
});

/** A client that creates, reads and deletes, and fails on any error. */
function requestUntil(port: number): { stop(): Promise<number> } {
  const client = new Client(`http://127.0.0.1:${port}`);
  let stopped = false;
  let answers = 0;
  const run = async () => {
    for (; !stopped; answers += 3) {
      const created = await client.post(LIST, { title: 'healthy' });
      assert.equal(created.status, 201);
      const path = itemPath(created.json().id);
      assert.equal((await client.get(path)).status, 200);
      assert.equal((await client.delete(path)).status, 204);
    }
    await client.close();
    return answers;
  };
  const running = run();
  running.catch(() => {});
  return {
    stop: () => {
      stopped = true;
      return running;
    },
  };
}

async function gather(
  port: number,
  { count, bytes, reads }: (typeof CROWDS)[number],
): Promise<RawClient[]> {
  const clients: RawClient[] = [];
  while (clients.length < count) {
    const some = Array.from({ length: 50 }, () => RawClient.connect(port));
    for (const client of await Promise.all(some)) {
      if (!reads) client.socket.pause();
      clients.push(client.send(bytes).ignore());
    }
  }
  return clients;
}

function text({ heap, resident }: { heap: number; resident: number }): string {
  return `heap ${heap} MiB, resident ${resident} MiB`;
}
