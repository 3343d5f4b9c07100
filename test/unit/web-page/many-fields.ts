import { define } from '../../../src/service/resource/definition.ts';
import { variantB } from '../../../src/service/todo/variant-b.ts';

const common = { create: {}, update: true } as const;

/** Fields of every kind, which no file of the page names. */
const fields = {
  ...variantB.fields,
  owner: {
    kind: 'text',
    description: 'Who looks after it.',
    rules: { minLength: 1, maxLength: 40 },
    create: { required: true },
    update: true,
  },
  dueAt: {
    ...common,
    kind: 'timestamp',
    description: 'When it has to be done.',
    nullable: true,
  },
  startAt: {
    ...common,
    kind: 'timestamp',
    description: 'When it can begin.',
    default: '2026-01-01T00:00:00.000',
  },
  starred: { ...common, kind: 'boolean', description: 'Whether it stands out.', default: true },
  billable: { ...common, kind: 'boolean', description: 'Whether it is paid.', nullable: true },
  effort: {
    ...common,
    kind: 'integer',
    description: 'How much work it is, from 0 to 3.',
    rules: { minimum: 0, maximum: 3 },
    default: 1,
  },
  points: { ...common, kind: 'integer', description: 'What it is worth.', default: 0 },
  guests: { ...common, kind: 'integer', description: 'How many come.', nullable: true },
  account: { ...common, kind: 'bigint', description: 'Who pays.', default: 0n },
  budget: { ...common, kind: 'bigint', description: 'What it may cost.', nullable: true },
  notes: { ...common, kind: 'text', description: 'What else matters.', nullable: true },
  views: { kind: 'integer', description: 'Set by the service.', default: 0 },
} as const;

/** A variant with more fields than A and B: of every kind, nullable or not. */
export const manyFields = define({ ...variantB, fields });
