import { localDateTimeNow } from './local-date-time.ts';
import { api, completed, description, ID_DESCRIPTION, priority, title } from './shared-fields.ts';
import { defineVariant } from './variant.ts';

const REQUIRED = 'Title is required';

/** Variant B: 64-bit ids, a description that may be null, the time of creation. */
export const variantB = defineVariant({
  name: 'b',
  summary: '64-bit ids, createdAt',
  fields: {
    id: { kind: 'bigint', description: ID_DESCRIPTION, identity: { from: 1, to: 2n ** 63n - 1n } },
    title: { ...title, create: { required: true, notBlank: REQUIRED, ifMissing: REQUIRED } },
    description: { ...description, nullable: true, default: null },
    completed,
    priority,
    createdAt: {
      kind: 'timestamp',
      description: 'When the item was created: a local date-time of the service, without a zone.',
      assign: localDateTimeNow,
    },
  },
  api,
});
