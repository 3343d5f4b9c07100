import assert from 'node:assert/strict';
import { it } from 'node:test';
import { variantA } from '../../../../src/service/todo/variant-a.ts';
import { variantB } from '../../../../src/service/todo/variant-b.ts';

it('the variants differ as the contract says; suites for every variant rely on it', () => {
  const [a, b] = [variantA, variantB].map(({ fields, api }) => ({
    members: Object.keys(fields),
    id: fields.id.kind,
    isDescriptionNullable: 'nullable' in fields.description,
    collection: api.collection,
  }));
  const members = ['id', 'title', 'description', 'completed', 'priority'];
  const collection = '/api/todos';
  assert.deepEqual(a, { members, id: 'integer', isDescriptionNullable: false, collection });
  assert.deepEqual(b?.members.slice(0, 6), [...members, 'createdAt']);
  assert.deepEqual([b.id, b.isDescriptionNullable, b.collection], ['bigint', true, collection]);
});
