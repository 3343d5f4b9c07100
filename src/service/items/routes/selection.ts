import { Problem } from '../../../lib/http/index.ts';
import { type Condition, takes, type Value } from '../../../lib/table/index.ts';
import type { Filter } from '../../resource/query/filters.ts';
import { invalidParameter } from '../../resource/query/parameters.ts';

/** The parameters that are conditions, besides filters. */
export const SEARCH = 'search';
export const WHERE = 'where';

/** The maximum number of comparisons of a request. Each takes about 1 KB during the search. */
const MAX_COMPARISONS = 500;

/** A parameter that selects items. */
export interface Selector {
  readonly name: string;
  readonly text: string;
  readonly filter: Filter | undefined;
  /** Undefined if it matches every item: a blank `search`, or `where={}`. */
  readonly condition: Condition | undefined;
}

/** The conditions of a request, all of which must hold. */
export class Selection {
  /** By the name of the parameter for those that take several values, else by a number. */
  readonly #conditions = new Map<string | number, Condition>();
  /** The first `eq` of each field. */
  readonly #equal = new Map<string, { readonly value: Value; readonly text: string }>();
  #comparisons = 0;

  /** @throws Problem `invalid-parameter` if it contradicts another one */
  add({ name, text, filter, condition }: Selector): void {
    if (condition === undefined) return;
    if (filter?.op === 'eq' && 'value' in condition)
      this.#checkEqual(filter, condition.value, text);
    const isList = filter !== undefined && takes(filter.op, 'values');
    const key = isList ? name : this.#conditions.size;
    const before = this.#conditions.get(key);
    // A search compares with a fixed number of columns.
    if (before === undefined && name !== SEARCH) this.#comparisons += comparisonsIn(condition);
    // All values of a list are one condition.
    this.#conditions.set(key, before === undefined ? condition : joined(before, condition));
  }

  /** @throws Problem if there are too many comparisons */
  conditions(): readonly Condition[] {
    if (this.#comparisons <= MAX_COMPARISONS) return [...this.#conditions.values()];
    const detail = `A request has at most ${MAX_COMPARISONS} comparisons, not ${this.#comparisons}`;
    throw new Problem('invalid-parameter', detail);
  }

  /** Two different values of a field can never hold together. */
  #checkEqual({ name, column, kind }: Filter, value: Value, text: string): void {
    const first = this.#equal.get(column);
    if (first === undefined) this.#equal.set(column, { value, text });
    else if (first.value !== value) {
      const [a, b] = [first.text, text].map(shown);
      const either =
        kind === 'text' ? `${column}.in=${a}&${column}.in=${b}` : `${column}.in=${a},${b}`;
      throw invalidParameter(
        [name],
        `cannot have two values; for either, use ${either}`,
        'conflict',
      );
    }
  }
}

/** The condition of both lists of values. */
function joined(a: Condition, b: Condition): Condition {
  return 'values' in a && 'values' in b ? { ...a, values: [...a.values, ...b.values] } : a;
}

function comparisonsIn(condition: Condition): number {
  if ('condition' in condition) return comparisonsIn(condition.condition);
  if (!('conditions' in condition)) return 1;
  return condition.conditions.reduce((sum, each) => sum + comparisonsIn(each), 0);
}

/** The maximum length of a value in a detail, in UTF-16 units. */
const MAX_SHOWN = 40;

/** A value as in a query string. */
function shown(text: string): string {
  return text.length > MAX_SHOWN ? '…' : encodeURIComponent(text);
}
