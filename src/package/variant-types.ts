/* Types that fit any variant. The build replaces them by the real ones (package-types.ts). */

/** The name of a variant. */
export type VariantName = string;

/** A create request, which may also have members of an update, such as `completed`. */
export type SeedItem = Readonly<
  Record<string, string | number | bigint | boolean | { toJSON(): string } | null | undefined>
>;
