import { define } from '../resource/definition.ts';
import {
  api,
  completed,
  createdAt,
  description,
  ID_DESCRIPTION,
  priority,
  title,
} from './shared-fields.ts';

/** Variant A: 32-bit ids, a description that is never null. */
export const variantA = define({
  name: 'a',
  title: 'Todo service, variant A',
  ignoresNull: true,
  fields: {
    id: { kind: 'integer', description: ID_DESCRIPTION, identity: { from: 1, to: 2 ** 31 - 1 } },
    title: {
      ...title,
      // The column has the limit, too. In variant B, only requests have it (specification.md).
      maxLength: title.rules.maxLength,
      create: { required: true, notBlank: 'must not be blank' },
    },
    description: { ...description, default: '' },
    completed,
    priority,
  },
  alsoKnown: { createdAt },
  api,
});
