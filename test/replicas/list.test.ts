import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { behind, isCommit, storedTitles } from './support/behind.ts';
import { ensureInstalled } from './support/etcd.ts';
import type { Reply } from './support/intermediary.ts';
import {
  assertLoggedOnce,
  clusterFor,
  create,
  replicasOn,
  titles,
  until,
} from './support/running.ts';

ensureInstalled();

const GENERATION = '/todo-service/generation';

/** How many rows to load while etcd is compacted, and how often it is, in milliseconds. */
const ROWS = Number(process.env.ROWS ?? 20_000);
const COMPACTION_MS = 300;

const RESET = { headers: { authorization: 'Bearer secret' } };

describe('a reset', () => {
  it('happens once for each that is asked for, and loses no create between', async (test) => {
    const { cluster, intermediary, replica, client } = await behind(test);
    await replica.ready();
    const switched = Buffer.from(GENERATION).toString('base64');
    const reset = () => client.request('POST', '/admin/reset', RESET);
    let switches = 0;
    let isSecondDone = false;
    intermediary.policy = async (path, body, forward) => {
      const reply = await forward();
      const isSwitch = isCommit(path, body) && body.includes(`"${switched}","value"`);
      if (!isSwitch || switches++ > 0) return reply;
      // The other one may come first, if they run at the same time.
      for (let i = 0; i < 20 && !isSecondDone; i++) await sleep(50);
      return 'reset';
    };
    const first = reset();
    await until('it is made', async () => switches > 0);
    assert.equal((await reset()).status, 204);
    isSecondDone = true;
    await create(client, 'kept');
    assert.equal((await first).status, 204);
    await sleep(1_000);
    const generation = JSON.parse(await cluster.ctl('get', GENERATION, '-w', 'json')).kvs[0];
    assert.equal(generation.version, 3, 'the generations: at first, and of each reset');
    assert.deepEqual(await titles(client), ['kept']);
  });
});

describe('a sweep', () => {
  it('deletes nothing of a backup that was restored before it', async (test) => {
    const { cluster, intermediary, replica, client } = await behind(test);
    await replica.ready();
    await create(client, 'in the backup');
    const backup = join(cluster.directory, 'backup');
    await cluster.ctl('snapshot', 'save', backup);
    const held: (() => Promise<Reply>)[] = [];
    intermediary.policy = async (path, body, forward) => {
      if (!path.includes('delete') && !body.includes('delete_range')) return forward();
      held.push(forward);
      return new Promise(() => {});
    };
    assert.equal((await client.request('POST', '/admin/reset', RESET)).status, 204);
    await until('it deletes', async () => held.length > 0);
    await cluster.restore(backup);
    for (const forward of held) await forward();
    assert.deepEqual(await storedTitles(cluster), ['in the backup']);
    await until('the backup shows', async () => {
      const { status, text } = await client.get('/api/todos');
      return status === 200 && text.includes('in the backup');
    });
  });
});

describe('a list that is loaded', () => {
  it('is loaded once, however often etcd compacts it', { timeout: 300_000 }, async (test) => {
    const seedFile = join(process.env.TMPDIR ?? '/tmp', `seed-${process.pid}.json`);
    writeFileSync(seedFile, JSON.stringify(Array.from({ length: ROWS }, () => ({ title: 's' }))));
    test.after(() => rmSync(seedFile));
    const { cluster, intermediary, replica, another } = await behind(test, { SEED_FILE: seedFile });
    await replica.ready(120_000);
    const writer = await another();
    await replica.program.end('SIGTERM');
    let isOver = false;
    const writing = (async () => {
      for (let i = 0; !isOver; i++) {
        assert.equal((await writer.put('/api/todos/1', { title: `${i}` })).status, 200);
        const { header } = JSON.parse(await cluster.ctl('get', GENERATION, '-w', 'json'));
        await cluster.ctl('compact', String(header.revision));
        await sleep(COMPACTION_MS);
      }
    })();
    intermediary.policy = async (path, _body, forward) => {
      const reply = await forward();
      if (path === '/v3/kv/range') await sleep(2 * COMPACTION_MS);
      return reply;
    };
    replica.program.start();
    const start = performance.now();
    try {
      await replica.ready(60_000);
    } finally {
      isOver = true;
      await writing;
    }
    test.diagnostic(`${ROWS} rows in ${Math.round(performance.now() - start)} ms`);
    assert.equal(await replica.metric('todo_store_loads_total'), 1);
  });
});

describe('a row that cannot be read', () => {
  it('is named once, and left out, while all others are served', async (test) => {
    const cluster = await clusterFor(test, { size: 1 });
    const { replicas, clients } = await replicasOn(test, cluster);
    const [a, b] = clients;
    for (const title of ['one', 'two', 'three']) await create(a, title);
    const keys = await cluster.ctl('get', '/todo-service/row/', '--prefix', '--keys-only');
    const [, key = ''] = keys.split('\n').filter((line) => line !== '');
    await cluster.ctl('put', key, '{"title":7}');
    for (const { program } of replicas) await program.end('SIGTERM');
    for (const { program } of replicas) program.start();
    await Promise.all(replicas.map((replica) => replica.ready()));
    for (const client of clients) assert.deepEqual(await titles(client), ['one', 'three']);
    assert.equal((await a.get('/api/todos/2')).status, 404);
    await create(b, 'four');
    assert.deepEqual(await titles(a), ['one', 'three', 'four']);
    for (const { log } of replicas) {
      assert.equal(log.filter((line) => line.includes(key)).length, 1, 'its key is logged once');
    }
  });
});

describe('the log of a replica', () => {
  it('has one line when etcd pauses, and one when it is back', async (test) => {
    const cluster = await clusterFor(test, { size: 1 });
    const { replicas } = await replicasOn(test, cluster);
    const [node] = cluster.nodes;
    await assertLoggedOnce(
      replicas,
      () => node?.program.pause(),
      () => node?.program.resume(),
    );
  });
});
