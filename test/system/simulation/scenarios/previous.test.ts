import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe } from 'node:test';
import { VARIANTS } from '../../../../src/service/todo/variants.ts';
import { titles } from '../../../support/items.ts';
import { simulated, startTwo } from './stage.ts';

/** A list, as 2.0.0 stored it, and the response of 2.0.0 to a GET of it. */
interface StoredList {
  /** The stored values, by key below the prefix of the list. */
  readonly keys: Readonly<Record<string, string>>;
  readonly items: string;
}

/**
 * Lists that a replica of 2.0.0 has used. The list of variant A was written by 1.2.0, and 2.0.0 has
 * only raised its format. The list of variant B has items of a reset, creates, changes and a delete.
 */
const LISTS: Readonly<Record<string, StoredList>> = JSON.parse(
  readFileSync(new URL('../fixtures/list-of-2.0.json', import.meta.url), 'utf8'),
);

describe('a list that 2.0.0 stored', () => {
  for (const [name, variant] of VARIANTS) {
    const { keys = {}, items = '' } = LISTS[name] ?? {};

    simulated(`is read, written and raised to format 3, variant ${name}`, async (all) => {
      const stored = Object.entries(keys);
      all.etcd.write(stored.map(([key, value]) => ({ put: `/test/${key}`, value })));
      const [a, b] = await startTwo(all, { variant });
      assert.equal((await a.get('/api/todos')).text, items);
      const meta = all.etcd.store.value('/test/meta') ?? '';
      const { fields, ...others } = JSON.parse(meta);
      assert.match(fields, /^[\w-]{12}$/);
      assert.deepEqual(others, { ...JSON.parse(keys.meta ?? ''), format: 3 });
      assert.equal(all.etcd.store.value('/test/fields'), undefined);
      const { idsAssigned } = JSON.parse(keys.head ?? '');
      const created = await a.post('/api/todos', { title: 'of 3.0' });
      assert.match(created.text, new RegExp(`^\\{"id":${BigInt(idsAssigned) + 1n},`));
      assert.equal((await b.put('/api/todos/3', { title: 'changed' })).status, 200);
      const list = await b.get('/api/todos');
      assert.equal(list.json<object[]>().length, JSON.parse(items).length + 1);
      assert.equal((await a.get('/api/todos')).text, list.text);
      assert.equal((await b.reset()).status, 204);
      assert.deepEqual(await titles(a), []);
    });
  }
});
