import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Response } from '../../../../src/lib/http/messages/response.ts';
import { runToEnd } from '../../../../src/lib/steps.ts';
import type { Items } from '../../../../src/service/store/items.ts';
import { variantB } from '../../../../src/service/todo/variant-b.ts';
import { create } from '../../../support/items.ts';
import type { Todo } from '../../../support/requests.ts';
import { NO_FAULTS } from '../network/network-faults.ts';
import type { SimulatedReplica } from '../service/replica.ts';
import { simulated, startOne, startTwo } from './stage.ts';

describe('writes that come together', () => {
  simulated('share transactions, in which each row is written once', async (all) => {
    const replica = await startOne(all, { maxRows: 5 });
    const { revision } = all.etcd.store;
    const created = await Promise.all(
      Array.from({ length: 8 }, () => replica.post('/api/todos', { title: 'x' })),
    );
    const statuses = created.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [201, 201, 201, 201, 201, 507, 507, 507], 'none fails another');
    assert(all.etcd.store.revision - revision <= 3);
    const changed = await Promise.all(
      Array.from({ length: 20 }, (_, i) => replica.put('/api/todos/1', { title: `t${i}` })),
    );
    for (const { status } of changed) assert.equal(status, 200);
  });

  simulated('get the number of their commit, or of the commit that they have seen', async (all) => {
    const replica = await startOne(all);
    const id = await create(replica, 'x');
    const { revision } = all.etcd.store;
    const seen = ({ table }: Items) => responseWith(table.lastCommit);
    const change = (items: Items) => {
      items.table.update(id, { title: 'a' });
      return responseWith(items.table.lastCommit);
    };
    const found = ({ table }: Items) => responseWith(table.find(id)?.commit ?? 0);
    const works = [seen, found, change, found, seen];
    const before = await replica.replica.write(seen);
    const responses = await Promise.all(works.map((work) => replica.replica.write(work)));
    assert.equal(all.etcd.store.revision, revision + 1);
    const after = responseWith(revision + 1);
    assert.deepEqual(responses, [before, before, after, after, after]);
    const { headers } = await replica.get(`/api/todos/${id}`);
    const updated = await replica.put(`/api/todos/${id}`, { title: 'a' });
    assert.equal(updated.headers.etag, headers.etag, 'an update that changes nothing');
    assert.match(String(headers.etag), new RegExp(`[.]${revision + 1}"$`));
  });

  simulated('check what a write by condition finds after the writes before it', async (all) => {
    const { replica } = await startOne(all, { seed: [{ title: 'one' }] });
    const { revision } = all.etcd.store;
    const sizes: number[] = [];
    const count = await replica.writeMatching({
      where: [{ op: 'gte', column: 'id', value: 1 }],
      run: async (steps) => {
        void replica.write((items) => {
          items.create({ title: 'two' });
          return responseWith(items.table.lastCommit);
        });
        return runToEnd(steps);
      },
      wait: (end) => end,
      check: ({ table }) => sizes.push(table.size),
      changeOf: () => ({ completed: true }),
    });
    assert.deepEqual([count, sizes], [2, [1, 2, 2]]);
    assert.equal(all.etcd.store.revision, revision + 2, 'a row is written one time in a commit');
  });

  simulated('never fill a request beyond the limit of etcd', async (all) => {
    const { replica } = await startOne(all, { variant: variantB });
    const { revision } = all.etcd.store;
    const title = 'x'.repeat(50_000);
    const createLong = (items: Items) => {
      items.create({ title });
      return responseWith(items.table.lastCommit);
    };
    await Promise.all(Array.from({ length: 25 }, () => replica.write(createLong)));
    // Each takes up to 350,000 characters, which may take four bytes each.
    assert.equal(all.etcd.store.revision - revision, 5);
  });

  simulated('are not run again and again if few of them fit a transaction', async (all) => {
    const { replica } = await startOne(all, { maxRows: 9_999 });
    let runs = 0;
    const createMany = (items: Items) => {
      runs++;
      for (let i = 0; i < 70; i++) items.create({ title: 'x' });
      return responseWith(items.table.lastCommit);
    };
    const writes = Array.from({ length: 30 }, () => replica.write(createMany));
    const tags = (await Promise.all(writes)).map(({ headers }) => headers?.ETag);
    assert.equal(new Set(tags).size, writes.length);
    assert(runs <= 6 * writes.length, `${runs} runs`);
  });
});

function responseWith(commit: number): Response {
  return { status: 200, headers: { ETag: `"x.${commit}"` } };
}

/** The time for which writers compete, in milliseconds. */
const COMPETITION_MS = 1_500;

simulated('writers that compete each get a part of the commits', async (all) => {
  const replicas = Array.from({ length: 3 }, () => all.start({ maxRows: 100_000 }));
  await all.ready();
  const end = all.now + COMPETITION_MS;
  const countOf = async (replica: SimulatedReplica, index: number) => {
    // The replicas are not equally far from etcd.
    for (const link of replica.links) link.faults = { ...NO_FAULTS, latencyMs: 1 + index };
    let created = 0;
    const client = async () => {
      for (; all.now < end; created++) await create(replica, 'x');
    };
    await Promise.all([client(), client()]);
    return created;
  };
  const created = await Promise.all(replicas.map(countOf));
  assert(Math.min(...created) > Math.max(...created) / 4, created.join());
});

simulated('several items at once are patched in as many commits as it takes', async (all) => {
  const seed = Array.from({ length: 250 }, (_, i) => ({ title: `${i}` }));
  const [a, b] = await startTwo(all, { seed });
  const { revision } = all.etcd.store;
  const patched = await b.patch('/api/todos?id.gte=1', { completed: true });
  assert.deepEqual([patched.status, patched.text], [200, '{"updated":250}']);
  assert.equal(all.etcd.store.revision, revision + 2);
  assert.equal((await a.get('/api/todos?completed=false')).text, '[]');
});

simulated('a change of another client fails the condition of an update', async (all) => {
  const [a, b] = await startTwo(all, { seed: [{ title: 'old' }] });
  const before = await a.get('/api/todos/1');
  assert.equal((await b.put('/api/todos/1', { title: 'theirs' })).status, 200);
  const { revision } = all.etcd.store;
  const headers = { 'if-match': String(before.headers.etag) };
  const answer = await a.put('/api/todos/1', { priority: 5 }, headers);
  assert.equal(answer.status, 412, answer.text);
  assert.equal(all.etcd.store.revision, revision);
  assert.equal((await a.get('/api/todos/1')).json<Todo>().title, 'theirs');
  const done = await a.put('/api/todos/1', { priority: 5 });
  assert.deepEqual([done.json<Todo>().title, done.json<Todo>().priority], ['theirs', 5]);
});
