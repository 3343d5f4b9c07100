import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { variantA } from '../../../../src/service/todo/variant-a.ts';
import { variantB } from '../../../../src/service/todo/variant-b.ts';
import { VERSION } from '../../../../src/service/version.ts';
import { create } from '../../../support/items.ts';
import { definitionOf41 } from '../../support/definition-of-4.1.ts';
import type { Simulation } from '../service/simulation.ts';
import { simulated, startOne } from './stage.ts';

interface StoredKey {
  readonly revision: number;
  readonly key: string;
  readonly value: string;
}

/**
 * The keys that two services of 4.1.0 have left in etcd 3.4.23, in the order of their revisions. Each
 * was reset, and then changed by creates, an update and deletes.
 */
const LISTS: Record<'a' | 'b', readonly StoredKey[]> = JSON.parse(
  readFileSync(new URL('lists-of-4.1.json', import.meta.url), 'utf8'),
);

/** Stores a list with its revisions. */
function store({ etcd }: Simulation, list: readonly StoredKey[]): void {
  const revisions = new Set(list.map(({ revision }) => revision));
  for (const revision of revisions) {
    while (etcd.store.revision < revision - 1) etcd.write([{ put: 'other', value: '' }]);
    const written = list.filter((each) => each.revision === revision);
    etcd.write(written.map(({ key, value }) => ({ put: `/test/${key}`, value })));
  }
}

/** What the list and its items are, with the numbers in their tags. */
const EXPECTED = [
  {
    variant: variantA,
    id: '6b2f06e6-b323-4126-9c10-bed13a13c4b4',
    revision: 10,
    items: [
      [8, '{"id":1,"title":"Buy milk","description":"","completed":true,"priority":5}'],
      [4, '{"id":2,"title":"Größe \u2028 😀","description":"two","completed":false,"priority":3}'],
      [6, '{"id":4,"title":"created","description":"","completed":false,"priority":3}'],
      [7, '{"id":5,"title":"x","description":"","completed":false,"priority":3}'],
    ],
    next: '7',
  },
  {
    variant: variantB,
    id: '7cd34e9e-a40d-4518-bc25-3c883f7fe983',
    revision: 23,
    items: [
      [
        20,
        '{"id":9007199254740993,"title":"beyond doubles","description":"","completed":false,' +
          '"priority":3,"createdAt":"2026-11-20T09:30:00.123"}',
      ],
      [
        20,
        '{"id":9007199254740994,"title":"next","description":"","completed":false,' +
          '"priority":3,"createdAt":"2026-11-30T08:12:50.241"}',
      ],
      [
        22,
        '{"id":9007199254740995,"title":"after","description":"","completed":false,' +
          '"priority":3,"createdAt":"2026-11-30T08:12:50.282"}',
      ],
    ],
    next: '9007199254740996',
  },
] as const;

for (const { variant, id, revision, items, next } of EXPECTED) {
  simulated(`a list of 4.1.0 is read as it is, variant ${variant.name}`, async (all) => {
    store(all, LISTS[variant.name === 'a' ? 'a' : 'b']);
    const replica = await startOne(all, {
      variant: definitionOf41(variant),
      seed: [{ title: 'seed' }],
    });
    const list = await replica.get('/api/todos');
    assert.equal(list.text, `[${items.map(([, item]) => item).join()}]`);
    assert.equal(list.headers.etag, `"${id}.${VERSION}.${revision}"`);
    for (const [number, json] of items) {
      const [, itemId] = /^{"id":(\d+)/.exec(json) ?? [];
      const item = await replica.get(`/api/todos/${itemId}`);
      assert.deepEqual([item.text, item.headers.etag], [json, `"${id}.${VERSION}.${number}"`]);
    }
    const made = await replica.post('/api/todos', { title: 'new' });
    assert.equal(made.headers.location, `/api/todos/${next}`);
    assert.equal((await replica.reset()).status, 204);
    assert.equal(await create(replica, 'after the seed'), 2);
  });
}
