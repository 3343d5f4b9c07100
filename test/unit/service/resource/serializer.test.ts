import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { ByteString } from '../../../../src/lib/json/byte-string.ts';
import type { Kind } from '../../../../src/lib/table/schema/column.ts';
import { serializerOf } from '../../../../src/service/resource/serializer.ts';
import { propertyOptions } from '../../../support/property.ts';

const field = (kind: Kind, nullable = false) => ({ kind, nullable, description: 'A value.' });

const FIELDS = {
  id: field('integer'),
  title: field('text'),
  description: field('text', true),
  completed: field('boolean'),
  priority: field('integer'),
};

const LONG_FIELDS = { ...FIELDS, id: field('bigint'), createdAt: field('timestamp') };

describe('the JSON serializer', () => {
  const text = fc.string({ unit: 'binary' });

  const row = fc.record({
    id: fc.integer({ min: 1 }),
    title: text,
    description: text,
    completed: fc.boolean(),
    priority: fc.integer(),
  });
  const textOf = (bytes: ByteString) => Buffer.from(bytes, 'latin1').toString();

  it('writes the same as JSON.stringify, in UTF-8', () => {
    const serialize = serializerOf(FIELDS);
    fc.assert(
      fc.property(row, (todo) => assert.equal(textOf(serialize(todo)), JSON.stringify(todo))),
      propertyOptions(300),
    );
  });

  it('writes the same with 64-bit integers', () => {
    const serialize = serializerOf(LONG_FIELDS);
    const createdAt = '2026-11-20T09:30:00.123';
    fc.assert(
      fc.property(row, (todo) => {
        const bytes = serialize({ ...todo, createdAt });
        assert.equal(textOf(bytes), JSON.stringify({ ...todo, createdAt }));
        const long = serialize({ ...todo, id: 2n ** 62n + BigInt(todo.id), createdAt });
        const digits = String(2n ** 62n + BigInt(todo.id));
        const expected = JSON.stringify({ ...todo, createdAt }).replace(/\d+/, digits);
        assert.equal(textOf(long), expected);
      }),
      propertyOptions(300),
    );
  });

  it('writes null beside 64-bit integers of few digits and of many', () => {
    const serialize = serializerOf({
      count: field('bigint', true),
      at: field('timestamp', true),
      id: field('bigint', true),
    });
    for (const id of [1, 2 ** 53 - 1, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n]) {
      const row = { count: null, at: null, id };
      assert.equal(serialize(row), `{"count":null,"at":null,"id":${id}}`);
    }
  });
});
