import type { Variant } from './variant.ts';
import { variantA } from './variant-a.ts';
import { variantB } from './variant-b.ts';

/** The variants by name; the first one is the default. */
export const VARIANTS: ReadonlyMap<string, Variant> = new Map(
  [variantA, variantB].map((variant: Variant) => [variant.name, variant]),
);
