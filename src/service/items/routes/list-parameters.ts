import type { Problem } from '../../../lib/http/index.ts';
import { exactJsonText } from '../../../lib/json/index.ts';
import { didYouMean, nearest } from '../../../lib/nearest.ts';
import { type Condition, type NonEmpty, operatorsOf, or } from '../../../lib/table/index.ts';
import { type Argument, type ParameterDescription, queryParameter } from '../../operation.ts';
import { serviceProblem } from '../../problem-types.ts';
import { aliasesByName } from '../../resource/field.ts';
import { createWhereReader, readFilter } from '../../resource/query/condition-reader.ts';
import { type Filter, filterDescription, filtersOf } from '../../resource/query/filters.ts';
import {
  type ListOptions,
  listOptionParameters,
  readListOption,
} from '../../resource/query/list-options.ts';
import { findLostOperand } from '../../resource/query/lost-operand.ts';
import {
  invalidParameter,
  type KnownParameters,
  readParameters,
  unknownParameter,
} from '../../resource/query/parameters.ts';
import { cureFor, ignoredNames, nothingIgnored } from '../../resource/query/unknown-names.ts';
import { isBlank, NOT_BLANK } from '../../resource/value-kind.ts';
import type { ItemResource } from '../item-resource.ts';
import { SEARCH, Selection, type Selector, WHERE } from './selection.ts';

/** The requested items and their order; by default all items, by ascending id. */
export interface ListQuery extends ListOptions {
  /** All of them must hold. */
  readonly conditions: readonly Condition[];
}

const EVERYTHING: ListQuery = {
  conditions: [],
  orderBy: [],
  limit: undefined,
  offset: undefined,
};

/** The parameters of reads that are not conditions. */
const OPTIONS = ['sort', 'limit', 'offset'];

/** Reads query strings of the list, for reads and for writes by condition. */
export class ListQueries {
  readonly #resource: Pick<ItemResource, 'fields' | 'api' | 'rules'>;
  readonly #filters: ReadonlyMap<string, Filter>;
  readonly #readWhere: (text: string) => Condition | undefined;

  constructor(resource: Pick<ItemResource, 'fields' | 'api' | 'rules'>) {
    this.#resource = resource;
    this.#filters = filtersOf(resource.fields);
    this.#readWhere = createWhereReader(resource.fields);
  }

  /** Reads the query of a read. */
  readArgument(): Argument<ListQuery> {
    const { fields, rules } = this.#resource;
    const known = this.#known(OPTIONS, ignoredNames(rules));
    return {
      parameters: [...listOptionParameters(fields), ...this.#descriptions(true)],
      readFrom: ({ query }) => {
        if (query.isEmpty) return EVERYTHING;
        const selection = new Selection();
        let options: Partial<ListOptions> = {};
        readParameters(query, known, (name, text) => {
          if (OPTIONS.includes(name)) {
            options = { ...options, ...readListOption(name, text, fields) };
          } else selection.add(this.#selectorOf(name, text));
        });
        return { ...EVERYTHING, ...options, conditions: selection.conditions() };
      },
    };
  }

  /** Reads the conditions of a write (api.md: "Several items at once"). */
  writeArgument(): Argument<NonEmpty> {
    // Strict always, because a lost condition would widen the write.
    const known = this.#known([], nothingIgnored);
    return {
      parameters: this.#descriptions(false),
      readFrom: ({ query }) => {
        const selection = new Selection();
        /** The known parameters so far, without `where={}`. */
        let count = 0;
        readParameters(query, known, (name, text) => {
          count++;
          const selector = this.#selectorOf(name, text);
          if (name === WHERE && selector.condition === undefined) {
            count--;
            return () => {
              const detail = 'must not be {} beside other conditions';
              if (count > 0) throw invalidParameter([name], detail);
            };
          }
          this.#checkOperands(selector);
          selection.add(selector);
          return undefined;
        });
        const [first, ...others] = selection.conditions();
        if (first !== undefined) return [first, ...others];
        const detail = `A condition is required: a filter, search or where; ${this.everyItem} is every item`;
        throw serviceProblem('condition-required', detail);
      },
    };
  }

  /** The parameters that are conditions, besides filters. */
  get #conditionNames(): readonly string[] {
    return this.#resource.api.searched.length > 0 ? [SEARCH, WHERE] : [WHERE];
  }

  /** The filter that every item satisfies. */
  get everyItem(): string {
    return `id.gte=${this.#resource.fields.id.identity.from}`;
  }

  /** @throws Problem for a condition of a write that is probably incomplete */
  #checkOperands({ name, condition, filter }: Selector): void {
    if (condition === undefined) throw invalidParameter([name], 'must not be blank');
    const lost = findLostOperand(condition, name === WHERE);
    if (lost === undefined) return;
    if (filter === undefined) throw invalidParameter([name], lost);
    const { column } = filter;
    const remedy = `for items with an empty ${column}, send where={"${column}":""}`;
    throw invalidParameter([name], `must not be blank; ${remedy}`);
  }

  /** Describes the parameters that are conditions. @param allowsBlank whether texts may be blank */
  #descriptions(allowsBlank: boolean): readonly ParameterDescription[] {
    const { searched, examples } = this.#resource.api;
    const blank = allowsBlank ? 'blank finds everything' : 'it must not be blank';
    const search = queryParameter(
      SEARCH,
      `A text to find in ${searched.join(' or ')}, ignoring case; ${blank}.`,
      allowsBlank ? { type: 'string' } : NOT_BLANK,
      'milk',
    );
    return [
      ...(this.#conditionNames.includes(SEARCH) ? [search] : []),
      queryParameter(
        WHERE,
        'A condition as JSON: fields with a value or with an object of operators, `and`, `or`, ' +
          '`not`.',
        { type: 'string', minLength: 1 },
        exactJsonText(examples.where) ?? '',
      ),
      ...[...this.#filters.values()].map((filter) => filterDescription(filter, allowsBlank)),
    ];
  }

  /** Reads a parameter that is a condition. @throws Problem */
  #selectorOf(name: string, text: string): Selector {
    const filter = this.#filters.get(name);
    if (filter !== undefined) return { name, text, filter, condition: readFilter(filter, text) };
    const condition = name === WHERE ? this.#readWhere(text) : this.#searchCondition(text);
    return { name, text, filter, condition };
  }

  /** The parameters that a request may have. @param optionNames those that are no conditions */
  #known(optionNames: readonly string[], ignores: (name: string) => boolean): KnownParameters {
    const names = [...optionNames, ...this.#conditionNames];
    return {
      has: (name) => this.#filters.has(name) || names.includes(name),
      mayRepeat: (name) => name === WHERE || this.#filters.has(name),
      refusalOf: (name, hasHint) => {
        const { fields } = this.#resource;
        // A name that begins with a field is never ignored: it is probably a filter with an unknown operator.
        const [beforeDot = ''] = name.split('.', 1);
        const isOfField = Object.hasOwn(fields, beforeDot);
        if (!isOfField && ignores(name)) return undefined;
        const code = isOfField ? 'operator' : 'unknown';
        return hasHint ? this.#unknown(name, names, code) : unknownParameter(name, '', [], code);
      },
    };
  }

  /**
   * The problem of an unknown parameter. After the name of a field, it suggests an operator, or lists
   * those of the field; else it has the cure for a usual name, or suggests or lists parameters.
   */
  #unknown(name: string, names: readonly string[], code: 'operator' | 'unknown'): Problem {
    const { fields, api } = this.#resource;
    const { searched } = api;
    const isPrefix = (each: string) =>
      name.startsWith(each) && !/[a-z0-9]/i.test(name.charAt(each.length));
    const [column = ''] = Object.keys(fields).filter(isPrefix).toSorted(longestFirst);
    const field = fields[column];
    if (field !== undefined) {
      const operators = operatorsOf(field);
      const word = name.slice(column.length).replaceAll(/[^a-z]/gi, '');
      const operator = nearest(word, operators, { containsIgnoreCase: ['like', 'ilike'] });
      const filters = operators.map((each) => `${column}.${each}`);
      const hint = operator && didYouMean(`${column}.${operator}`);
      return unknownParameter(name, hint, filters, code);
    }
    const textColumn = Object.keys(fields).find((each) => searched.includes(each));
    const cure = cureFor(name, {
      order: names.includes('sort') ? (textColumn ?? 'id') : undefined,
      contains: textColumn && `${textColumn}.containsIgnoreCase=milk`,
    });
    if (cure !== undefined) return unknownParameter(name, cure, []);
    const suggestion = nearest(name, [...names, ...this.#filters.keys()], aliasesByName(fields));
    const all = [...names, ...Object.keys(fields)];
    return unknownParameter(name, suggestion && didYouMean(suggestion), all);
  }

  /** Undefined for a blank text, which every item matches. */
  #searchCondition(value: string): Condition | undefined {
    if (isBlank(value)) return undefined;
    const op = 'containsIgnoreCase';
    return or(...this.#resource.api.searched.map((column) => ({ op, column, value }) as const));
  }
}

function longestFirst(a: string, b: string): number {
  return b.length - a.length;
}
