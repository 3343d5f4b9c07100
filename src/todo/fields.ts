import type { Field } from '../resource/field.ts';

/** The fields that every variant has; it may have others. Operations rely on these only. */
export type TodoFields = {
  readonly id: Field & {
    readonly kind: 'integer' | 'bigint';
    readonly identity: { readonly from: number | bigint; readonly to: number | bigint };
  };
  readonly title: Field & { readonly kind: 'text' };
  readonly description: Field & { readonly kind: 'text' };
  readonly completed: Field & { readonly kind: 'boolean'; readonly default: boolean };
  readonly priority: Field & { readonly kind: 'integer'; readonly default: number };
};

/** A variant of the service: a name, and the fields of its items. */
export interface Variant {
  readonly name: string;
  readonly fields: TodoFields;
}

/*
 * The parts of fields that the variants share; each variant adds what differs (contract:
 * "Variants", "Items").
 */

const MAX_DESCRIPTION = 1000;

export const ID_DESCRIPTION = 'Assigned by the service, from 1, never reused.';

export const title = {
  kind: 'text',
  description: 'What is to be done.',
  default: '',
  index: 'substring',
  rules: { minLength: 1, maxLength: 200 },
  update: true,
} as const;

export const description = {
  kind: 'text',
  description: 'Details.',
  maxLength: MAX_DESCRIPTION,
  index: 'substring',
  rules: { maxLength: MAX_DESCRIPTION },
  create: { default: '' },
  update: true,
} as const;

export const completed = {
  kind: 'boolean',
  description: 'Whether it is done.',
  default: false,
  index: 'bitmap',
  update: true,
} as const;

export const priority = {
  kind: 'integer',
  description: 'How important it is, from 1 to 5.',
  default: 3,
  index: 'bitmap',
  rules: { minimum: 1, maximum: 5 },
  create: {},
  update: true,
} as const;
