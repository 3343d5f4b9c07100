import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Items } from '../../../../src/service/store/items.ts';
import { variantA } from '../../../../src/service/todo/variant-a.ts';

const TEXT = { kind: 'text', description: 'A text.' } as const;

describe('assigned fields', () => {
  it('have a new value in each item', () => {
    let count = 0;
    const next = () => `value ${++count}`;
    const { id } = variantA.fields;
    const b = { ...TEXT, assign: next };
    const items = new Items({ id, a: TEXT, b, c: { ...TEXT, assign: () => 'assigned' } });
    const assigned = { a: 'given', c: 'assigned' };
    assert.deepEqual(items.create({ a: 'given' }), { id: 1, ...assigned, b: 'value 1' });
    assert.deepEqual(items.create({ a: 'given' }), { id: 2, ...assigned, b: 'value 2' });
  });
});
