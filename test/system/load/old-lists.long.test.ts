import assert from 'node:assert/strict';
import { it } from 'node:test';
import { AUTHORIZED, TOKEN } from '../../support/admin.ts';
import { clientFor } from '../../support/client.ts';
import { LIST } from '../../support/paths.ts';
import { ServiceProcess } from '../../support/process.ts';
import { RawClient } from '../../support/raw.ts';
import { createRequest, getRequest } from '../../support/raw-requests.ts';

const RESETS = 200;

/** How many resets a slow client takes to read a list. */
const SLOW = 5;

it('200 resets to 5,000 items, with slow readers of old lists, leave nothing in a heap of 64 MiB', async (test) => {
  const env = { NODE_OPTIONS: '--max-old-space-size=64', ADMIN_TOKEN: TOKEN };
  const service = new ServiceProcess(test, ['--port=0'], env);
  const baseUrl = await service.baseUrl();
  const port = Number(new URL(baseUrl).port);
  const client = clientFor(test, baseUrl);
  const item = { title: 'an item', description: 'of some length '.repeat(8) };
  const body = JSON.stringify(Array(5_000).fill(item));
  const headers = { ...AUTHORIZED, 'content-type': 'application/json' };
  const heapUsed = async () => {
    const { text } = await client.get('/metrics');
    const used = text.matchAll(/^v8js_memory_heap_used_bytes(?:\{.*\})? (\d+)$/gm);
    return Array.from(used, ([, bytes]) => Number(bytes)).reduce((sum, bytes) => sum + bytes, 0);
  };
  const readers: { reader: RawClient; writer: RawClient }[] = [];
  /** The least memory in use after each of some resets, shortly after a collection of garbage. */
  const least = { early: Number.POSITIVE_INFINITY, late: Number.POSITIVE_INFINITY };
  for (let i = 0; i < RESETS; i++) {
    const answer = await client.request('POST', '/admin/reset', { headers, body });
    assert.equal(answer.status, 204, `reset ${i}: ${answer.text}`);
    const reader = await RawClient.connect(port);
    reader.ignore().socket.pause();
    reader.send(getRequest(LIST));
    // The system may keep the whole list for the reader, but not the end of this request.
    const writer = await RawClient.connect(port);
    writer.send(createRequest().slice(0, -1));
    readers.push({ reader, writer });
    const slowest = readers.length > SLOW ? readers.shift() : undefined;
    slowest?.reader.socket.resume();
    slowest?.writer.send(createRequest().slice(-1));
    const bytes = await heapUsed();
    if (i >= 20 && i < 80) least.early = Math.min(least.early, bytes);
    if (i >= RESETS - 60) least.late = Math.min(least.late, bytes);
  }
  test.diagnostic(`heap: ${least.early} bytes, later ${least.late}`);
  assert(least.early > 0 && least.late < least.early + 2 ** 22, JSON.stringify(least));
  for (const { reader, writer } of readers) {
    reader.destroy();
    writer.destroy();
  }
  const died = await Promise.race([service.exit, undefined]);
  assert.equal(died?.stderr, undefined);
});
