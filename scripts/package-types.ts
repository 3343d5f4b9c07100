// Declares the types of the package that depend on the fields of the variants.

import type { Kind } from '../src/lib/table/index.ts';
import type { Fields } from '../src/service/resource/field.ts';
import { fieldMember } from '../src/service/resource/item-content.ts';
import { VARIANTS } from '../src/service/todo/variants.ts';

/** The types of the values of a kind in JSON. */
const TYPES: Readonly<Record<Kind, readonly string[]>> = {
  integer: ['number'],
  bigint: ['number', 'bigint'],
  number: ['number'],
  boolean: ['boolean'],
  text: ['string'],
  // A Date, for example.
  timestamp: ['string', '{ toJSON(): string }'],
  instant: ['string', '{ toJSON(): string }'],
  json: ['object'],
};

/** Declares the types of `src/package/variant-types.ts`, for all variants. */
export function variantTypes(): string {
  const fields = [...VARIANTS.values()].map((variant): Fields => variant.fields);
  const names = [...VARIANTS.keys()].map((name) => `'${name}'`).join(' | ');
  const members = [...new Set(fields.flatMap(Object.keys))].map((name) => {
    const found = fields.flatMap((each) => each[name] ?? []);
    const [{ description } = { description: '' }] = found;
    const isRequired =
      found.length === fields.length &&
      found.every((field) => fieldMember(field, 'seed').isRequired);
    const types = found.flatMap(({ kind, nullable }) => [...TYPES[kind], nullable ? 'null' : []]);
    const type = [...new Set(types.flat())].join(' | ');
    const optional = isRequired ? type : `${type} | undefined`;
    return `  /** ${description} */\n  readonly ${name}${isRequired ? '' : '?'}: ${optional};\n`;
  });
  return `/** The name of a variant. */
export type VariantName = ${names};

/** A create request, which may also set the members of an update. */
export interface SeedItem {
${members.join('')}}
`;
}
