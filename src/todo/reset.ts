import { Problem } from '../http/core/problem.ts';
import { fullProblem } from './problems.ts';
import { SeedError, seedOf } from './seed.ts';
import type { ItemFields } from './store/items.ts';
import type { Store } from './store/store.ts';

/**
 * Goes back to the seed, or to the items in a JSON value.
 * @throws Problem `validation-failed` with all violations, `store-full`, or one of the store
 */
export async function resetTo(store: Store, fields: ItemFields, seed: unknown): Promise<void> {
  try {
    await store.reset(seed === undefined ? undefined : seedOf(seed, fields).items);
  } catch (error) {
    if (error instanceof SeedError) {
      const { message, violations } = error;
      throw new Problem('validation-failed', `The seed is invalid: ${message}`, {
        errors: violations,
      });
    }
    throw fullProblem(error) ?? error;
  }
}
