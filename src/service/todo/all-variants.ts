import type { ContentRules, Fields } from '../resource/field.ts';
import type { Variant } from './variant.ts';
import { variantA } from './variant-a.ts';
import { variantB } from './variant-b.ts';

/** The variants by name; the first one is the default. */
export const VARIANTS: ReadonlyMap<string, Variant> = new Map(
  [variantA, variantB].map((variant: Variant) => [variant.name, variant]),
);

const ALL_FIELDS: Fields = Object.assign({}, ...[...VARIANTS.values()].map(({ fields }) => fields));

/**
 * The rules for contents of items. The names of the fields of all variants are known in each.
 * @param isStrict the setting `STRICT`
 */
export function rulesOf({ fields }: Pick<Variant, 'fields'>, isStrict: boolean) {
  return { fields, alsoKnown: ALL_FIELDS, isStrict } satisfies ContentRules;
}
