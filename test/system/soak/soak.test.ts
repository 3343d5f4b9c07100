import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { uniqueWord } from '../../support/assertions.ts';
import { type Client, clientFor } from '../../support/client.ts';
import { itemPath, LIST } from '../../support/paths.ts';
import { ServiceProcess } from '../../support/process.ts';
import type { Todo } from '../../support/requests.ts';
import { type Memory, memoryIn, PRINTS_MEMORY } from './memory.ts';

const MINUTES = Number(process.env.SOAK_MINUTES ?? 10);
const CLIENTS = 16;
const SAMPLES = 40;

/** Each client keeps this many items, and deletes the oldest when it creates another. */
const KEPT = 500;

it(`at full speed for ${MINUTES} minutes, memory levels off`, async (test) => {
  const service = new ServiceProcess(test, ['--port=0', '--variant=b'], PRINTS_MEMORY);
  const client = clientFor(test, await service.baseUrl());
  const end = Date.now() + MINUTES * 60_000;
  let operations = 0;
  const work = async () => {
    const items: Todo[] = [];
    for (; Date.now() < end; operations++) items.push(await useOnce(client, items));
  };
  const working = Promise.all(Array.from({ length: CLIENTS }, work));
  for (let sample = 0; sample < SAMPLES; sample++) {
    await sleep((MINUTES * 60_000) / SAMPLES);
    service.signal('SIGUSR2');
  }
  await working;
  await sleep(500);
  service.signal('SIGTERM');
  const { status, stdout } = await service.exit;
  assert.equal(status, 0);
  const memory = memoryIn(stdout);
  test.diagnostic(`${operations} rounds of create, update, search, get and delete`);
  for (const part of ['heap', 'resident'] as const) {
    test.diagnostic(`${part}, MiB: ${memory.map((at) => at[part]).join(' ')}`);
  }
  for (const part of ['heap', 'resident'] as const) assertLevel(memory, part);
});

/** Runs one round of requests, and checks every response. */
async function useOnce(client: Client, items: Todo[]): Promise<Todo> {
  const word = uniqueWord();
  const created = await client.post(LIST, { title: word, description: 'soaked' });
  assert.equal(created.status, 201, created.text);
  const { id } = created.json();
  assert.equal((await client.put(itemPath(id), { completed: true })).json().completed, true);
  const found = (await client.get(`${LIST}?search=${word}`)).json<Todo[]>();
  assert.deepEqual(
    found.map((todo) => todo.id),
    [id],
  );
  const oldest = items.length < KEPT ? undefined : items.shift();
  if (oldest !== undefined) {
    assert.equal((await client.get(itemPath(oldest.id))).status, 200);
    assert.equal((await client.delete(itemPath(oldest.id))).status, 204);
  }
  return created.json();
}

/**
 * Asserts that the last quarter uses hardly more memory than the second; start-up effects are over
 * by then.
 */
function assertLevel(memory: readonly Memory[], part: keyof Memory): void {
  const quarter = memory.length / 4;
  const mean = (from: number, to: number) => {
    const values = memory.slice(from, to).map((at) => at[part]);
    return values.reduce((sum, value) => sum + value, 0) / values.length;
  };
  const second = mean(quarter, 2 * quarter);
  const last = mean(3 * quarter, memory.length);
  assert(
    last <= second * 1.1 + 5,
    `${part}: ${second} MiB in the second quarter, ${last} in the last`,
  );
}
