import { Problem, type ProblemCode, type ProblemType } from '../../lib/http/index.ts';
import { NamedSchema } from '../../lib/json/index.ts';
import { contentSchema } from '../resource/schema.ts';
import type { ItemFields } from '../store/items.ts';
import { fullProblem, STORE_FULL } from '../store/problems.ts';
import type { Settle, Store } from '../store/store.ts';
import { SeedError, seedFields, seedOf } from './seed.ts';

/** How to go back to the seed, or to the items in a JSON value, and what that can fail with. */
export interface Resets {
  /**
   * Goes back to the seed, or to the items of another one, which `parse` makes; ids start again.
   * One reset follows the other.
   * @param settle called before the commit, where it concerns this process alone; what it returns
   * is called once it has been made or has failed
   * @throws Problem `validation-failed`, or one of `resetProblems`
   */
  readonly reset: (parse?: () => unknown, settle?: Settle) => Promise<void>;
  readonly seedSchema: NamedSchema;
  readonly resetProblems: readonly (ProblemCode | ProblemType)[];
  /** Calls back whenever the items have been reset, by whomever. */
  readonly onReset: (callback: () => void) => void;
}

/** Makes what resets the items of a store. */
export function resetting(store: Store, fields: ItemFields): Resets {
  let last: Promise<unknown> = Promise.resolve();
  return {
    seedSchema: new NamedSchema('Seed', () => ({
      description:
        'Create requests, which may also have `completed`. An object with one such array will ' +
        'do, too.',
      type: 'array',
      items: contentSchema(seedFields(fields), 'create'),
    })),
    resetProblems: [STORE_FULL, ...store.problems.ofWrites],
    /** One after the other, because each takes many times its content while it is parsed. */
    reset(parse: () => unknown = () => undefined, settle?: Settle): Promise<void> {
      const reset = last.then(() => resetTo(parse(), settle));
      last = reset.catch(() => {});
      return reset;
    },
    onReset(callback: () => void): void {
      store.items.table.onCommit(({ isReplacement }) => isReplacement && callback());
    },
  };

  async function resetTo(seed: unknown, settle?: Settle): Promise<void> {
    try {
      await store.reset(seed === undefined ? undefined : seedOf(seed, fields).items, settle);
    } catch (error) {
      if (!(error instanceof SeedError)) throw fullProblem(error) ?? error;
      const { message, violations: errors } = error;
      throw new Problem('validation-failed', `The seed is invalid: ${message}`, { errors });
    }
  }
}
