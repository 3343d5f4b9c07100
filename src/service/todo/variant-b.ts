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

const REQUIRED = 'Title is required';

/** Variant B: 64-bit ids, a description that may be null, the time of creation. */
export const variantB = define({
  name: 'b',
  title: 'Todo service, variant B',
  ignoresNull: true,
  fields: {
    id: { kind: 'bigint', description: ID_DESCRIPTION, identity: { from: 1, to: 2n ** 63n - 1n } },
    title: { ...title, create: { required: true, notBlank: REQUIRED, ifMissing: REQUIRED } },
    description: { ...description, nullable: true, default: null },
    completed,
    priority,
    createdAt,
  },
  api,
});
