import { mapValues } from '../../lib/json/index.ts';
import { type Kind, OPERATORS, operatorsOf } from '../../lib/table/index.ts';
import type { PageField, PageItems, PageRoles } from '../../web-page/index.ts';
import { MAX_ITEMS } from '../items/routes/create-routes.ts';
import type { Definition } from '../resource/definition.ts';
import { type Field, type Rules, takesNull } from '../resource/field.ts';
import { fieldMember } from '../resource/item-content.ts';

/** The maximum length of a text that has one line. */
const MAX_LINE = 200;

/** The maximum number of integers to choose from. */
const MAX_CHOICES = 10;

/** Matches names of booleans that tell whether an item is done. */
const DONE = /^(?:is[-_]?)?(?:done|completed?|finished|closed|checked)$/i;

/**
 * The facts about the items of a definition for its page (api.md: "The page").
 * @param events the path of the event stream, if there is one
 */
export function pageItems({ fields, api }: Definition, events?: string): PageItems {
  const pageFields = Object.entries(fields).map(([name, field]) => pageField(name, field));
  return {
    collection: api.collection,
    events,
    maxBatch: MAX_ITEMS,
    samples: api.examples.batch,
    fields: pageFields,
    roles: rolesOf(pageFields),
    words: api.words,
    isSearched: api.searched.length > 0,
    operators: mapValues(OPERATORS, ({ meaning }) => meaning),
  };
}

/** The first string is the title, and further ones are details. */
function rolesOf(fields: readonly PageField[]): PageRoles {
  const isText = ({ kind, choices }: PageField) => kind === 'text' && choices.length === 0;
  const title = fields.find((field) => isText(field) && field.isCreatable && field.isEditable);
  const details = fields.filter((field) => isText(field) && field !== title);
  const done = fields.find(
    ({ kind, name, isEditable }) => kind === 'boolean' && isEditable && DONE.test(name),
  );
  const choice = fields.find(({ choices, isEditable }) => isEditable && choices.length > 0);
  return {
    id: 'id',
    title: title?.name,
    details: details.map(({ name }) => name),
    done: done?.name,
    choice: choice?.name,
  };
}

function pageField(name: string, field: Field): PageField {
  const { kind, description, rules = {} } = field;
  const { maxLength = Number.POSITIVE_INFINITY } = rules;
  return {
    name,
    description,
    kind: kind === 'bigint' ? 'integer' : kind,
    isNullable: orAbsent(takesNull(field)),
    isOptional: orAbsent(field.isOptional),
    isCreatable: orAbsent(fieldMember(field, 'create').readOnly === undefined),
    isEditable: orAbsent(fieldMember(field, 'patch').readOnly === undefined),
    isLong: orAbsent(kind === 'text' && maxLength > MAX_LINE),
    choices: rules.enum ?? choicesOf(kind, rules),
    operators: operatorsOf(field),
  };
}

function orAbsent(is: boolean | undefined): boolean | undefined {
  return is || undefined;
}

/** All integers of a range, if they are few; else none. */
function choicesOf(kind: Kind, { minimum, maximum }: Rules): readonly number[] {
  const isInteger = kind === 'integer' || kind === 'bigint';
  if (!isInteger || minimum === undefined || maximum === undefined) return [];
  const first = Math.ceil(Number(minimum));
  const count = Math.floor(Number(maximum)) - first + 1;
  return count <= MAX_CHOICES ? Array.from({ length: count }, (_, at) => first + at) : [];
}
