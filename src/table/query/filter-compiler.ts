import type { ColumnCondition, Condition } from '../condition/condition.ts';
import { isEmpty } from '../pages/bits.ts';
import type { Layout } from '../schema/layout.ts';
import { bitmapFilter, identityFilter, orderFilter, signatureFilter } from './column-filters.ts';
import { type Filter, type Leaf, MEANS, newMask, ROW_TEST } from './filter.ts';

/** Compiles checked conditions, all of which must be true. */
export class FilterCompiler {
  readonly leaves: Leaf[] = [];
  readonly #layout: Layout;
  /** Filters by the text that they look for: columns with one signature share them. */
  readonly #byText = new Map<string, Filter>();

  constructor(layout: Layout) {
    this.#layout = layout;
  }

  compile(conditions: readonly Condition[]): Filter {
    return this.#all(conditions, true);
  }

  /** @param wanted whether the condition must be true; otherwise, it must be false */
  #filter(condition: Condition, wanted: boolean): Filter {
    switch (condition.op) {
      case 'and':
      case 'or': {
        const { op, conditions } = condition;
        const isAll = (op === 'and') === wanted;
        return isAll ? this.#all(conditions, wanted) : this.#any(conditions, wanted);
      }
      case 'not':
        return this.#filter(condition.condition, !wanted);
      default: {
        const filter = this.#leaf(condition, wanted);
        this.leaves.push({ condition, means: filter.means });
        return filter;
      }
    }
  }

  #leaf(condition: ColumnCondition, wanted: boolean): Filter {
    const { identity, columns } = this.#layout;
    if (condition.column === identity.column) return identityFilter(identity, condition, wanted);
    switch (columns.get(condition.column)?.index) {
      case 'bitmap':
        return bitmapFilter(this.#layout, condition, wanted);
      case 'ordered':
        return orderFilter(condition, wanted);
      case 'substring':
        return wanted ? signatureFilter(condition, this.#byText) : ROW_TEST;
      default:
        return ROW_TEST;
    }
  }

  #all(conditions: readonly Condition[], wanted: boolean): Filter {
    const filters = this.#filters(conditions, wanted).sort((a, b) => rank(a) - rank(b));
    const [only] = filters;
    if (only && filters.length === 1) return only;
    return {
      narrow: (page, mask) => {
        let isExact = true;
        for (const filter of filters) {
          if (!filter.narrow(page, mask)) isExact = false;
          if (isEmpty(mask, page.words)) return true;
        }
        return isExact;
      },
      range: filters.reduce(
        (all, { range: { from, to } }) => {
          return { from: Math.max(all.from, from), to: Math.min(all.to, to) };
        },
        { from: 0, to: Number.POSITIVE_INFINITY },
      ),
      means: filters.at(-1)?.means ?? 'identity',
    };
  }

  #any(conditions: readonly Condition[], wanted: boolean): Filter {
    const filters = this.#filters(conditions, wanted);
    const [only] = filters;
    if (only && filters.length === 1) return only;
    if (filters.includes(ROW_TEST)) return ROW_TEST;
    const [part, united] = [newMask(), newMask()];
    return {
      narrow: (page, mask) => {
        let isExact = true;
        united.fill(0);
        for (const filter of filters) {
          part.set(mask);
          if (!filter.narrow(page, part)) isExact = false;
          for (let w = 0; w < page.words; w++) united[w] = (united[w] ?? 0) | (part[w] ?? 0);
        }
        mask.set(united);
        return isExact;
      },
      range: filters.reduce(
        (any, { range: { from, to } }) => {
          return { from: Math.min(any.from, from), to: Math.max(any.to, to) };
        },
        { from: Number.POSITIVE_INFINITY, to: 0 },
      ),
      means: filters.toSorted((a, b) => rank(b) - rank(a))[0]?.means ?? 'identity',
    };
  }

  #filters(conditions: readonly Condition[], wanted: boolean): Filter[] {
    return [...new Set(conditions.map((condition) => this.#filter(condition, wanted)))];
  }
}

function rank({ means }: Filter): number {
  return MEANS.indexOf(means);
}
