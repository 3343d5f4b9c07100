import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertTrue, createAll } from '../simulation/scenarios/told.ts';
import { behind, isCommit, storedTitles } from './support/behind.ts';
import { ensureInstalled } from './support/etcd.ts';
import { create } from './support/running.ts';

ensureInstalled();

/** How many rows a reset makes: 100,000 take minutes. */
const ROWS = Number(process.env.ROWS ?? 20_000);

describe('a replica behind an intermediary', () => {
  it('tells the truth if transactions are sent twice and lost, beside another', async (test) => {
    const { intermediary, client, cluster, replica, another } = await behind(test);
    await replica.ready();
    const other = await another();
    let n = 0;
    intermediary.policy = async (path, body, forward) => {
      if (!isCommit(path, body)) return forward();
      await forward();
      const reply = await forward();
      return n++ % 3 === 0 ? 'reset' : reply;
    };
    const all = await Promise.all([
      createAll(client, 'a', 40),
      createAll(client, 'b', 40),
      createAll(other, 'c', 40),
    ]);
    const stored = await storedTitles(cluster);
    for (const told of all) assertTrue(stored, told);
    assert(all.reduce((sum, { done }) => sum + done.length, 0) > 100);
  });

  it('resets to a large seed while others read', { timeout: 300_000 }, async (test) => {
    const seedFile = join(process.env.TMPDIR ?? '/tmp', `seed-${process.pid}.json`);
    writeFileSync(seedFile, JSON.stringify(Array.from({ length: ROWS }, () => ({ title: 's' }))));
    const { client, replica, another } = await behind(test, {
      SEED_FILE: seedFile,
      MAX_ROWS: '200000',
    });
    await replica.ready(120_000);
    const other = await another();
    assert.equal((await client.post('/api/todos', { title: 'more' })).status, 201);
    let isOver = false;
    const seen = new Map<string, number>();
    const watching = [client, other].map(async (each) => {
      while (!isOver) {
        const list = await each.get('/api/todos?limit=0');
        const key = `${list.status} ${list.headers['x-total-count']}`;
        seen.set(key, (seen.get(key) ?? 0) + 1);
        await sleep(5);
      }
    });
    const start = performance.now();
    const headers = { authorization: 'Bearer secret' };
    const reset = await client.request('POST', '/admin/reset', { headers });
    const took = performance.now() - start;
    await sleep(500);
    isOver = true;
    await Promise.all(watching);
    test.diagnostic(`${reset.status} ${reset.text} in ${took} ms; ${JSON.stringify([...seen])}`);
    assert.equal(reset.status, 204);
    assert.deepEqual([...seen.keys()].sort(), [`200 ${ROWS}`, `200 ${ROWS + 1}`]);
    assert.equal(await create(other, 'next'), ROWS + 1);
  });
});
