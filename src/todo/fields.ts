import type { Field } from '../resource/field.ts';
import type { IdField } from '../resource/identifier.ts';

/** What every variant's item has, whatever else it has: the operations rely on these and no others. */
export type TodoFields = {
  readonly id: IdField & {
    readonly identity: { readonly from: number | bigint; readonly to: number | bigint };
  };
  readonly title: Field & { readonly kind: 'text' };
  readonly description: Field & { readonly kind: 'text' };
  readonly completed: Field & { readonly kind: 'boolean'; readonly default: boolean };
  readonly priority: Field & { readonly kind: 'integer'; readonly default: number };
};

/** One form of the service: a name, and the fields its items have. */
export interface Variant {
  readonly name: string;
  readonly fields: TodoFields;
}

const TITLE_LENGTH = { minLength: 1, maxLength: 200 };
const DESCRIPTION_LENGTH = { maxLength: 1000 };
const PRIORITY_RANGE = { minimum: 1, maximum: 5 };

/**
 * The fields that the variants share, with the values that differ filled in by each of them
 * (source: "Resources and their fields", "Limits").
 */
export const title = {
  kind: 'text',
  description: 'What is to be done.',
  default: '',
  index: 'substring',
  update: TITLE_LENGTH,
} as const;

export const titleOnCreate = (notBlank: string) => ({ ...TITLE_LENGTH, notBlank });

export const description = {
  kind: 'text',
  description: 'More about it.',
  maxLength: DESCRIPTION_LENGTH.maxLength,
  index: 'substring',
  create: { ...DESCRIPTION_LENGTH, default: '' },
  update: DESCRIPTION_LENGTH,
} as const;

export const completed = {
  kind: 'boolean',
  description: 'Whether it is done.',
  default: false,
  update: {},
} as const;

export const priority = {
  kind: 'integer',
  description: 'How important it is, from 1 to 5.',
  default: 3,
  create: { ...PRIORITY_RANGE, default: 3 },
  update: PRIORITY_RANGE,
} as const;
