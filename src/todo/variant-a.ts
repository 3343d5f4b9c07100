import {
  completed,
  description,
  priority,
  type TodoFields,
  title,
  titleOnCreate,
  type Variant,
} from './fields.ts';

const fields = {
  id: {
    kind: 'integer',
    description: 'Assigned by the service, from 1, never reused.',
    identity: { from: 1, to: 2 ** 31 - 1 },
  },
  title: { ...title, maxLength: 200, create: titleOnCreate('must not be blank') },
  description: { ...description, default: '' },
  completed,
  priority,
} as const satisfies TodoFields;

/** Variant A: 32-bit ids, a description that is never null. */
export const variantA = { name: 'a', fields } as const satisfies Variant;
