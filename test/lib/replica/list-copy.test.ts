import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { StoreError } from '../../../src/lib/replica/errors.ts';
import type { KeyChange, KeyValue } from '../../../src/lib/replica/etcd/json.ts';
import { ListCopy } from '../../../src/lib/replica/read/list-copy.ts';
import { headOf } from '../../../src/lib/replica/stored/commit-head.ts';
import type { StoredList } from '../../../src/lib/replica/stored/stored-list.ts';

const HEAD = headOf({
  key: 'head',
  value: '{"generation":"g","idsAssigned":6,"changes":0,"writers":{}}',
  modRevision: 1,
  version: 1,
});

/** A row as etcd has it. */
function row(key: string, value: string): KeyValue {
  return { key, value, modRevision: 1, version: 1 };
}

/**
 * Loads two pages of rows, while the watch brings others.
 * @param watched what the watch brings before each page, and after the last one
 * @param failures how often to fail to read the head at the end
 * @returns the keys and values in the order in which the table has taken them
 */
async function load(watched: readonly (readonly KeyChange[])[], failures = 0) {
  const put: string[] = [];
  const next = {
    put: ({ key, value }: KeyChange) => void put.push(`${key}=${value}`),
    commit: () => {},
  };
  const copy = new ListCopy('g', next, HEAD);
  const [first, last] = [
    { rows: [row('a', 'old'), row('b', 'old')], revision: 1, next: { from: 'b\0', to: 9, ids: 9 } },
    { rows: [row('c', 'old'), row('d', 'old')], revision: 1, next: undefined },
  ];
  let read = 0;
  const takeWatched = () => {
    for (const each of watched[read] ?? []) copy.takeRow(each);
  };
  const errors: StoreError[] = [];
  const list: Pick<StoredList, 'page' | 'head'> = {
    page: async (_, __, part) => {
      takeWatched();
      read++;
      return part === undefined ? first : last;
    },
    head: async () => {
      if (errors.length < failures) throw new StoreError('etcd did not answer');
      return { head: HEAD, revision: 1 };
    },
  };
  await copy.read(
    list,
    () => true,
    (error) => errors.push(error),
  );
  assert.equal(errors.length, failures);
  takeWatched();
  return put;
}

describe('the copy of a list', () => {
  it('gives the table rows by ascending id, wherever the watch is', async () => {
    const put = await load([[row('d', 'new'), row('b', 'new'), row('e', 'new')]]);
    assert.deepEqual(put, ['a=old', 'b=new', 'c=old', 'd=new', 'e=new']);
  });

  it('takes what the watch brings after a page', async () => {
    const put = await load([[], [row('a', 'new'), row('c', 'new')], [row('d', 'new')]]);
    assert.deepEqual(put, ['a=old', 'b=old', 'a=new', 'c=new', 'd=old', 'd=new']);
  });

  it('does not bring back a row that is deleted before its page has come', async () => {
    const put = await load([[{ ...row('c', ''), value: undefined }]]);
    assert.deepEqual(put, ['a=old', 'b=old', 'c=undefined', 'd=old']);
  });

  it('takes no page for newer than the watch, if the head cannot be read at first', async () => {
    const again = [row('a', 'new'), row('c', 'new')];
    const put = await load([[], [], again], 1);
    assert.deepEqual(put, ['a=old', 'b=old', 'a=new', 'c=new', 'd=old']);
  });
});
