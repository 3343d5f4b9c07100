import { mapValues } from '../../lib/json/index.ts';
import { OPERATORS, operatorsOf } from '../../lib/table/index.ts';
import type { PageField, PageItems, PageRoles } from '../../web-page/index.ts';
import { MAX_ITEMS } from '../items/routes/create-routes.ts';
import type { Definition } from '../resource/definition.ts';
import type { Field, Rules } from '../resource/field.ts';
import { fieldMember } from '../resource/item-content.ts';
import type { variantA } from '../todo/variant-a.ts';

/** The fields of both variants that have a role in the page. */
const ROLES: PageRoles<keyof typeof variantA.fields> = {
  id: 'id',
  title: 'title',
  details: 'description',
  done: 'completed',
  priority: 'priority',
};

/** The maximum length of a text that has one line. */
const MAX_LINE = 200;

/** The maximum number of integers to choose from. */
const MAX_CHOICES = 10;

/**
 * The facts about the items of a variant for its page (api.md: "The page").
 * @param events the path of the event stream, if there is one
 */
export function pageItems({ fields, api }: Definition, events?: string): PageItems {
  return {
    collection: api.collection,
    events,
    maxBatch: MAX_ITEMS,
    samples: api.examples.batch,
    fields: Object.entries(fields).map(([name, field]) => pageField(name, field)),
    roles: ROLES,
    operators: mapValues(OPERATORS, ({ meaning }) => meaning),
  };
}

function pageField(name: string, field: Field): PageField {
  const { kind, description, nullable, rules = {} } = field;
  const { maxLength = Number.POSITIVE_INFINITY } = rules;
  return {
    name,
    description,
    kind: kind === 'bigint' ? 'integer' : kind,
    isNullable: nullable ?? false,
    isCreatable: fieldMember(field, 'create').readOnly === undefined,
    isEditable: fieldMember(field, 'patch').readOnly === undefined,
    isLong: kind === 'text' && maxLength > MAX_LINE,
    choices: choicesOf(rules),
    operators: operatorsOf(field),
  };
}

/** All integers of a range, if they are few; else none. */
function choicesOf({ minimum, maximum }: Rules): readonly number[] {
  if (minimum === undefined || maximum === undefined) return [];
  const first = Number(minimum);
  const count = Number(maximum) - first + 1;
  return count <= MAX_CHOICES ? Array.from({ length: count }, (_, at) => first + at) : [];
}
