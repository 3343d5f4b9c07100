import type { Definition } from '../resource/definition.ts';
import { variantA } from './variant-a.ts';
import { variantB } from './variant-b.ts';

/** The variants by name; the first one is the default. */
export const VARIANTS: ReadonlyMap<string, Definition> = new Map(
  [variantA, variantB].map((variant: Definition) => [variant.name, variant]),
);
