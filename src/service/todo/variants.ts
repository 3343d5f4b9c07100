import type { Definition } from '../resource/definition.ts';
import { variantA } from './variant-a.ts';
import { variantB } from './variant-b.ts';

/** The difference between the variants, for the help of the setting. */
export const VARIANTS_SUMMARY = 'a (32-bit ids) or b (64-bit ids, createdAt)';

/** The variants by name; the first one is the default. */
export const VARIANTS: ReadonlyMap<string, Definition> = new Map(
  [variantA, variantB].map((variant: Definition) => [variant.name, variant]),
);
