import type { Definition } from '../../../src/service/resource/definition.ts';

/** The fields that items had in 4.1.0, in both variants and in variant B alone. */
const FIELDS = ['id', 'title', 'description', 'completed', 'priority'];
const FIELDS_OF_B = [...FIELDS, 'createdAt'];

/** A variant without the fields that later versions, or tests, have added. */
export function definitionOf41(variant: Definition): Definition {
  const names = variant.name === 'a' ? FIELDS : FIELDS_OF_B;
  const fields = Object.entries(variant.fields).filter(([name]) => names.includes(name));
  return { ...variant, fields: { ...Object.fromEntries(fields), id: variant.fields.id } };
}
