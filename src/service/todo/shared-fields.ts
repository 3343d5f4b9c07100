import { usualNamesOf } from '../resource/field.ts';
import { localDateTimeOf } from '../resource/local-date-time.ts';

/* The parts of fields that variants A and B share (api.md: "Variants", "Items"). */

const MAX_DESCRIPTION = 1000;

export const ID_DESCRIPTION =
  'Assigned by the service: ascending from 1, and not reused until a reset.';

export const title = {
  kind: 'text',
  description: 'What is to be done.',
  /** The default in the specification. It never applies: requests and seeds must set a title. */
  default: '',
  rules: { minLength: 1, maxLength: 200 },
  update: true,
} as const;

export const description = {
  kind: 'text',
  description: 'Details.',
  maxLength: MAX_DESCRIPTION,
  rules: { maxLength: MAX_DESCRIPTION },
  create: { default: '' },
  update: true,
} as const;

export const completed = {
  kind: 'boolean',
  description: 'Whether it is done.',
  aliases: usualNamesOf('completed'),
  ifCreated: 'cannot be true: a new item is open; PATCH sets it',
  default: false,
  update: true,
} as const;

export const priority = {
  kind: 'integer',
  description: 'How important it is, from 1 to 5.',
  default: 3,
  rules: { minimum: 1, maximum: 5 },
  // A create request may have it. If it is absent, the default of the column applies.
  create: {},
  update: true,
} as const;

export const createdAt = {
  kind: 'timestamp',
  description: 'When the item was created: a local date-time of the service, without a zone.',
  assign: localDateTimeOf,
} as const;

const MILK = { title: 'Buy milk', description: 'Two litres', priority: 5 };
const DENTIST = { title: 'Call the dentist', priority: 4 };
const BOOK = { title: 'Read a book', priority: 1 };

/** The API that both variants have. */
export const api = {
  item: 'Todo',
  items: 'Todos',
  description: 'What is to be done.',
  words: { heading: 'Todo', one: 'item', many: 'items', none: 'Nothing to do yet.' },
  collection: '/api/todos',
  searched: ['description', 'title'],
  examples: {
    create: { 'all members': MILK, 'a title': { title: MILK.title } },
    update: {
      done: { completed: true },
      'another text': { title: 'Buy oat milk', description: 'One litre' },
    },
    batch: [MILK, DENTIST, BOOK],
    where: { or: [{ completed: false }, { priority: { gte: 4 } }] },
  },
} as const;
