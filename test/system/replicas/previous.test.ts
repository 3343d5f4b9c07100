import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { ensureInstalled } from './support/etcd.ts';
import { clusterFor, replicasOn } from './support/running.ts';

ensureInstalled();

/** A list of one variant, as 1.2.0 stored it, and the response to a GET of it. */
interface StoredList {
  /** The stored values, by key below the prefix of the list. */
  readonly keys: Readonly<Record<string, string>>;
  readonly items: string;
}

/**
 * Lists that a replica of 1.2.0 wrote: from a seed, a reset to another one, then creates, changes
 * and a delete.
 */
const LISTS: Readonly<Record<string, StoredList>> = JSON.parse(
  readFileSync(new URL('./fixtures/list-of-1.2.json', import.meta.url), 'utf8'),
);

describe('a list that 1.2.0 stored', () => {
  for (const [variant, { keys, items }] of Object.entries(LISTS)) {
    it(`is read, written and raised to the format of this version, variant ${variant}`, async (test) => {
      const cluster = await clusterFor(test, { size: 1 });
      const prefix = '/previous/';
      for (const [key, value] of Object.entries(keys)) {
        await cluster.ctl('put', `${prefix}${key}`, '--', value);
      }
      const env = { ETCD_PREFIX: prefix, VARIANT: variant, TZ: 'UTC' };
      const { clients } = await replicasOn(test, cluster, env);
      const [a, b] = clients;
      assert.equal((await a.get('/api/todos')).text, items);
      const before: readonly { readonly id: number }[] = JSON.parse(items);
      const created = await a.post('/api/todos', { title: 'of 2.0' });
      assert.equal(created.status, 201, created.text);
      assert.equal(created.json().id, 1 + Math.max(...before.map(({ id }) => id)));
      assert.equal((await b.put('/api/todos/3', { title: 'changed' })).status, 200);
      const list = await b.get('/api/todos');
      assert.equal(list.json<readonly object[]>().length, before.length + 1);
      assert.equal((await a.get('/api/todos')).text, list.text);
      const meta = JSON.parse(await cluster.ctl('get', `${prefix}meta`, '--print-value-only'));
      assert.deepEqual(meta, { ...JSON.parse(keys.meta ?? ''), format: 2 });
      const headers = { authorization: 'Bearer secret' };
      assert.equal((await b.request('POST', '/admin/reset', { headers })).status, 204);
      assert.equal((await a.get('/api/todos')).text, '[]');
    });
  }
});
