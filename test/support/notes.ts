import { resourceOfProgram } from '../../src/service/resource/schema/resource-file.ts';

/** A schema that has a property of each kind, required or not, with and without a default. */
export const NOTE_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Note',
  description: 'Something to remember.',
  type: 'object',
  required: ['id', 'subject', 'level', 'createdAt', 'source'],
  properties: {
    subject: { type: 'string', minLength: 1, maxLength: 20 },
    body: { type: 'string' },
    code: { type: 'string', pattern: '^[A-Z]{2}-\\d+$' },
    status: { $ref: '#/$defs/Status' },
    mood: { anyOf: [{ type: 'string', enum: ['good', 'bad'] }, { type: 'null' }] },
    level: { type: 'integer', format: 'int32', minimum: 1, maximum: 5, default: 3 },
    views: { type: 'integer' },
    rating: { type: 'number', minimum: 0, maximum: 5 },
    pinned: { type: 'boolean', default: false },
    dueAt: { type: ['string', 'null'], format: 'date-time' },
    tags: { type: 'array', items: { type: 'string', maxLength: 9 }, maxItems: 3, default: [] },
    place: { $ref: '#/$defs/Place' },
    extra: { type: ['object', 'null'], default: null },
    createdAt: { type: 'string', format: 'date-time', readOnly: true },
    source: { type: 'string', readOnly: true, default: 'api' },
    owner: { type: ['string', 'null'], readOnly: true },
  },
  $defs: {
    Status: { type: 'string', enum: ['draft', 'published'], default: 'draft' },
    Place: {
      type: 'object',
      required: ['city'],
      properties: {
        city: { type: 'string', minLength: 2 },
        zip: { type: ['integer', 'null'] },
        since: { type: 'string', format: 'date-time' },
        floors: { type: 'array', items: { type: 'integer' }, minItems: 1 },
        open: { type: 'boolean', default: true },
      },
    },
  },
  examples: [
    { subject: 'Call the plumber', level: 2, tags: ['home'], createdAt: '2026-11-20T09:30:00Z' },
    { subject: 'Read', level: 1, place: { city: 'Ghent' } },
  ],
} as const;

/** The resource of {@link NOTE_SCHEMA}. */
export const NOTE = resourceOfProgram(NOTE_SCHEMA);

/** A definition of a schema with these properties, and other keywords. */
export function resourceWith(properties: object, keywords: object = {}) {
  return resourceOfProgram({ title: 'Thing', type: 'object', properties, ...keywords });
}
