import { Problem } from '../http/problem.ts';
import type { Query } from '../http/query.ts';
import type { Order, SearchOptions } from '../table/options.ts';
import type { TodoFields } from './fields.ts';

/** What a client asks of the list; everything absent means every item, by ascending id. */
export interface ListQuery extends SearchOptions<Column> {
  readonly search: string;
}

type Column = keyof TodoFields;

const COUNT = /^(?:0|[1-9][0-9]{0,14})$/;

/**
 * Reads `search`, `sort`, `limit` and `offset`; other parameters are ignored.
 * @throws Problem `invalid-parameter`: a wish that cannot be met is never dropped.
 */
export function parseListQuery(query: Query, fields: TodoFields): ListQuery {
  const sort = query.get('sort');
  return {
    search: query.get('search') ?? '',
    orderBy: sort === undefined ? [] : parseSort(sort, fields),
    limit: parseCount('limit', query.get('limit')) ?? Number.POSITIVE_INFINITY,
    offset: parseCount('offset', query.get('offset')) ?? 0,
  };
}

/** `sort=-priority,title`: the first column decides, a minus sign turns its order round. */
function parseSort(sort: string, fields: TodoFields): Order<Column>[] {
  return sort.split(',').map((item) => {
    const descending = item.startsWith('-');
    const column = descending ? item.slice(1) : item;
    if (!isColumn(column, fields))
      throw invalid(`sort must be ${sortDescription(fields)}, not "${sort}"`);
    return { column, direction: descending ? 'desc' : 'asc' };
  });
}

function isColumn(name: string, fields: TodoFields): name is Column {
  return Object.hasOwn(fields, name);
}

function sortDescription(fields: TodoFields): string {
  const names = Object.keys(fields).join(', ');
  return `names out of ${names}, separated by commas, with a "-" before one for descending order`;
}

function parseCount(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!COUNT.test(text))
    throw invalid(`${name} must be a decimal integer, 0 or more, not "${text}"`);
  return Number(text);
}

function invalid(detail: string): Problem {
  return new Problem('invalid-parameter', detail);
}
