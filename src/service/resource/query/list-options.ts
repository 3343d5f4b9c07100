import { didYouMean, nearest } from '../../../lib/nearest.ts';
import type { Order } from '../../../lib/table/index.ts';
import { type ParameterDescription, queryParameter } from '../../operation.ts';
import { aliasesByName, type Fields } from '../field.ts';
import { invalidParameter, mustBe } from './parameters.ts';

/** The order of a list, and the part of it to return. */
export interface ListOptions {
  readonly orderBy: readonly Order[];
  readonly limit: number | undefined;
  readonly offset: number | undefined;
}

/** Whether a client wants a part of a list. */
export function isPaged({ limit, offset }: ListOptions): boolean {
  return limit !== undefined || offset !== undefined;
}

/** The parameters `sort`, `limit` and `offset`. */
export function listOptionParameters(fields: Fields): readonly ParameterDescription[] {
  const names = orderedNames(fields);
  const texts = names.filter((name) => fields[name]?.kind === 'text');
  const name = `-?(${[...names, ...texts.map((text) => `${text}[.]ignoreCase`)].join('|')})`;
  return [
    queryParameter(
      'sort',
      'Fields to sort by, separated by commas. `-` before a field means descending, ' +
        '`.ignoreCase` behind a field of text sorts by case foldings.',
      { type: 'string', pattern: `^${name}(,${name})*$` },
      `-${names.at(-1)},${names[0]}`,
    ),
    queryParameter('limit', 'The maximum number of items to return.', COUNT, 20),
    queryParameter('offset', 'How many items to skip.', COUNT, 0),
  ];
}

const COUNT = { type: 'integer', minimum: 0 };

/** Reads one of `sort`, `limit` and `offset`. @throws Problem `invalid-parameter` */
export function readListOption(name: string, text: string, fields: Fields): Partial<ListOptions> {
  if (name === 'sort') return { orderBy: orderOf(text, fields) };
  if (DIGITS.test(text)) return { [name]: Math.min(Number(text), MAX_COUNT) };
  throw invalidParameter([name], mustBe('a decimal integer, 0 or more', text));
}

/** The fields that have an order. */
function orderedNames(fields: Fields): readonly string[] {
  return Object.keys(fields).filter((name) => fields[name]?.kind !== 'json');
}

/** Parses an order such as `-priority,title.ignoreCase`. */
function orderOf(sort: string, fields: Fields): readonly Order[] {
  return sort.split(',').map((item) => {
    const direction = item.startsWith('-') ? 'desc' : 'asc';
    const [, column = '', modifier] = ORDER_ITEM.exec(item) ?? [];
    const names = orderedNames(fields);
    const field = names.includes(column) ? fields[column] : undefined;
    const ignoreCase = modifier !== undefined;
    if (field === undefined || (ignoreCase && field.kind !== 'text')) {
      const list = `fields (${names.join(', ')}), separated by commas`;
      const marks = '"-" before a field means descending, and text fields may end in .ignoreCase';
      const hint = field === undefined ? nearest(column, names, aliasesByName(fields)) : undefined;
      const help = hint === undefined ? `; ${marks}` : didYouMean(hint);
      throw invalidParameter(['sort'], mustBe(list, sort) + help);
    }
    return { column, direction, ...(ignoreCase && { ignoreCase }) };
  });
}

const ORDER_ITEM = /^-?([^.]*?)(\.ignoreCase)?$/;

const DIGITS = /^[0-9]+$/;

/** More than every possible number of rows. */
const MAX_COUNT = Number.MAX_SAFE_INTEGER;
