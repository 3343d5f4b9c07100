import { type ByteString, byteString, joined, part } from '../json/byte-string.ts';
import type { JsonSchema } from '../json/schema.ts';
import type { FieldValues } from './field.ts';

/** A member of an item that is not stored, but made for each response. */
export interface ComputedMember {
  readonly schema: JsonSchema;
  readonly example: unknown;
  /** @param origin scheme, host and port that the request was sent to; empty if unknown */
  readonly of: (row: FieldValues, origin: string) => unknown;
}

/** Computed members by name. */
export type ComputedMembers = Readonly<Record<string, ComputedMember>>;

/** Adds computed members to the JSON text of a row. */
export function withComputed(
  text: ByteString,
  computed: ComputedMembers,
  row: FieldValues,
  origin: string,
): ByteString {
  const members = Object.entries(computed).map(
    ([name, { of }]) => `,${JSON.stringify(name)}:${JSON.stringify(of(row, origin))}`,
  );
  return joined(part(text, 0, text.length - 1), byteString(`${members.join('')}}`));
}
