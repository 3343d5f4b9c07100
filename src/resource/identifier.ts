import type { Field } from './field.ts';

const INTEGER = /^-?(?:0|[1-9][0-9]{0,18})$/;

const RANGES = {
  integer: { min: -(2n ** 31n), max: 2n ** 31n - 1n, bits: 32 },
  bigint: { min: -(2n ** 63n), max: 2n ** 63n - 1n, bits: 64 },
} as const;

/** A field whose values name items in paths. */
export type IdField = Field & { readonly kind: 'integer' | 'bigint' };

/** Reads an id as it stands in a path; undefined where it is none, or out of the range of its kind. */
export type IdParser = (text: string) => number | bigint | undefined;

/** The parser of an id field: an optional minus sign and decimal digits, with no leading zero. */
export function idParser({ kind }: IdField): IdParser {
  const { min, max } = RANGES[kind];
  return (text) => {
    if (!INTEGER.test(text)) return undefined;
    if (kind === 'integer' && text.length < 10) return Number(text);
    const id = BigInt(text);
    if (id < min || id > max) return undefined;
    return kind === 'integer' ? Number(id) : id;
  };
}

/** What an id must look like, in a sentence's words. */
export function idDescription({ kind }: IdField): string {
  return `a decimal ${RANGES[kind].bits}-bit integer without leading zeros`;
}
