import {
  completed,
  description,
  ID_DESCRIPTION,
  priority,
  type TodoFields,
  title,
  type Variant,
} from './fields.ts';

const fields = {
  id: {
    kind: 'integer',
    description: ID_DESCRIPTION,
    identity: { from: 1, to: 2 ** 31 - 1 },
  },
  title: {
    ...title,
    maxLength: title.rules.maxLength,
    create: { required: true, notBlank: 'must not be blank' },
  },
  description: { ...description, default: '' },
  completed,
  priority,
} as const satisfies TodoFields;

/** Variant A: 32-bit ids, a description that is never null. */
export const variantA = { name: 'a', fields } as const satisfies Variant;
