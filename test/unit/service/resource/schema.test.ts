import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Fields } from '../../../../src/service/resource/field.ts';
import { contentShape, itemSchema } from '../../../../src/service/resource/item-content.ts';
import { NOT_BLANK_PATTERN } from '../../../../src/service/resource/value-kind.ts';

const INT32 = { minimum: -2147483648, maximum: 2147483647 };

const FIELDS: Fields = {
  id: { kind: 'bigint', identity: { from: 1n, to: 2n ** 63n - 1n }, description: 'An id.' },
  name: {
    kind: 'text',
    maxLength: 9,
    rules: { minLength: 1, maxLength: 8 },
    create: { notBlank: 'Name it' },
    update: true,
    description: 'A name.',
  },
  note: { kind: 'text', nullable: true, create: {}, update: true, description: 'A note.' },
  rank: { kind: 'integer', default: 3, create: {}, update: true, description: 'A rank.' },
  score: {
    kind: 'integer',
    rules: { minimum: 0, maximum: 9 },
    default: 5,
    description: 'A score.',
  },
};

const ALSO_KNOWN: Fields = { due: { kind: 'timestamp', nullable: true, description: 'A time.' } };

const RULES = { fields: FIELDS, alsoKnown: ALSO_KNOWN, isStrict: true, ignoresNull: true };

const NAME = { type: 'string', minLength: 1, maxLength: 8 };

it('the schema of an item has every member, with the limits of stored values', () => {
  assert.deepEqual(asSent(itemSchema(FIELDS)), {
    type: 'object',
    required: ['id', 'name', 'note', 'rank', 'score'],
    properties: {
      // `format` implies the maximum. 2^63 - 1 is not exact as a number of JSON.
      id: { type: 'integer', format: 'int64', minimum: 1, description: 'An id.' },
      name: { type: 'string', maxLength: 9, description: 'A name.' },
      note: { type: ['string', 'null'], description: 'A note.' },
      rank: { type: 'integer', format: 'int32', description: 'A rank.' },
      score: {
        type: 'integer',
        format: 'int32',
        minimum: 0,
        maximum: 9,
        description: 'A score.',
      },
    },
  });
});

it('the schema of a request to create states required members, how other values are stored, and the types of read-only members', () => {
  assert.deepEqual(asSent(contentShape(RULES, 'create').schema), {
    type: 'object',
    required: ['name'],
    properties: {
      id: { type: 'integer', format: 'int64', readOnly: true, description: 'An id.' },
      name: { ...NAME, pattern: NOT_BLANK_PATTERN, description: 'A name.' },
      note: { type: ['string', 'null'], description: 'A note. If absent: null.' },
      rank: { type: 'integer', format: 'int32', ...INT32, description: 'A rank. If absent: 3.' },
      score: { type: 'integer', format: 'int32', readOnly: true, description: 'A score.' },
      due: {
        type: ['string', 'null'],
        format: 'date-time-local',
        readOnly: true,
        description: 'A time.',
      },
    },
    additionalProperties: false,
  });
});

/** A schema as clients get it. */
function asSent(schema: object): unknown {
  return JSON.parse(JSON.stringify(schema));
}
