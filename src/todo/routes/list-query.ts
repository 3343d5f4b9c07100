import { Problem } from '../../http/core/problem.ts';
import type { Request } from '../../http/core/request.ts';
import type { HeaderFields } from '../../http/core/response.ts';
import { preference } from '../../http/request/prefer.ts';
import { quoted } from '../../http/request/quoted.ts';
import type { Argument, ParameterDescription } from '../../http/routing/operation.ts';
import { Filters } from '../../resource/filters.ts';
import { type ListOptions, listOptions, listOptionsOf } from '../../resource/list-options.ts';
import { nearest } from '../../resource/nearest.ts';
import { isBlank } from '../../resource/text.ts';
import type { Condition } from '../../table/condition/condition.ts';
import type { ItemApi, ItemFields } from '../item-api.ts';

/** Which items a client wants, in which order; by default every item, by ascending id. */
export interface ListQuery extends ListOptions {
  /** All of them must hold. */
  readonly conditions: readonly Condition[];
}

function searchDescription(searched: readonly string[]): ParameterDescription {
  return {
    name: 'search',
    in: 'query',
    description:
      `A text to find in ${searched.join(' or ')}, ignoring case (Unicode full case folding). ` +
      'Every character means itself; blank finds everything; if repeated, the first one counts.',
    schema: { type: 'string' },
    example: 'milk',
  };
}

const PREFER: ParameterDescription = {
  name: 'Prefer',
  in: 'header',
  description: '`handling=strict` refuses unknown parameters instead of ignoring them (RFC 7240).',
  schema: { type: 'string' },
  example: 'handling=strict',
};

/**
 * Filters, `search`, `sort`, `limit` and `offset` (contract: "The list", "Filters").
 * @param isStrict whether unknown parameters are refused, whatever a request prefers
 */
export function listQuery(
  { fields, api: { searched } }: { readonly fields: ItemFields; readonly api: ItemApi },
  isStrict: boolean,
): Argument<ListQuery> {
  const filters = new Filters(fields);
  const options = [searchDescription(searched), ...listOptions(fields)];
  const known = new Set([...options.map(({ name }) => name), ...filters.names]);
  return {
    get parameters() {
      return [...options, ...filters.descriptions, PREFER];
    },
    problems: ['invalid-parameter'],
    of: (request) => {
      const { query } = request;
      const conditions = filters.conditionsOf(query);
      const applied = preferenceApplied(request);
      if (isStrict || applied !== NONE) checkKnown(request, known, applied);
      const search = query.get('search');
      if (search && !isBlank(search)) conditions.push(containsIn(searched, search));
      return { conditions, ...listOptionsOf(query, fields) };
    },
  };
}

const NONE: HeaderFields = {};
const STRICT: HeaderFields = { 'Preference-Applied': 'handling=strict' };

/** The header fields of a response to a request that prefers strict handling. */
export function preferenceApplied({ headers }: Request): HeaderFields {
  return preference(headers.prefer, 'handling') === 'strict' ? STRICT : NONE;
}

function containsIn(columns: readonly string[], value: string): Condition {
  const op = 'containsIgnoreCase';
  return { op: 'or', conditions: columns.map((column) => ({ op, column, value })) };
}

function checkKnown({ query }: Request, known: ReadonlySet<string>, headers: HeaderFields): void {
  for (const [name] of query.parameters) {
    if (known.has(name)) continue;
    const detail = `Unknown parameter ${quoted(name)}; did you mean ${nearest(name, known)}?`;
    throw new Problem('invalid-parameter', detail, { headers });
  }
}
