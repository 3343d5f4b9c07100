/*
 * What the types of the package say of variants. Here they fit any; the build writes in their place
 * those that the definitions of the variants give (`scripts/package-types.ts`).
 */

/** The name of a variant. */
export type VariantName = string;

/** A create request, which may also have what an update may, such as `completed`. */
export type SeedItem = Readonly<Record<string, string | number | boolean | null>>;
