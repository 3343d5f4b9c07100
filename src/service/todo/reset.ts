import { JSON_MEDIA_TYPE, Problem, type RequestContent } from '../../lib/http/index.ts';
import { MalformedJsonError, NamedSchema } from '../../lib/json/index.ts';
import type { Log } from '../../lib/log.ts';
import { HEAP_BUDGET } from '../memory-plan.ts';
import { problemType } from '../problem-types.ts';
import { contentSchema } from '../resource/schema.ts';
import type { ItemFields, Run } from '../store/items.ts';
import { fullProblem, STORE_FULL } from '../store/problems.ts';
import type { Settle, Store } from '../store/store.ts';
import { checkSeed } from './seed.ts';
import type { SeedFile } from './seed-file.ts';
import { type GivenSeed, SeedError } from './seed-source.ts';

/** How to go back to the seed, or to other items, and what that can fail with. */
export interface Resets {
  /**
   * Goes back to the seed, whose file is read again, or to another one, such as JSON. One reset
   * follows the other, because each takes many times its content while it is parsed.
   * @param settle makes the commit, where it concerns this process alone
   * @throws MalformedJsonError, SeedError, TableFullError, or a Problem of the file or the store
   */
  readonly reset: (other?: GivenSeed | Buffer, settle?: Settle) => Promise<void>;
  /** The content of a request that resets, with all that can go wrong; without it, to the seed. */
  readonly seedContent: RequestContent<Buffer | undefined>;
  /** Calls back whenever the items have been reset, by whomever. */
  readonly onReset: (callback: () => void) => void;
}

export const SEED_UNUSABLE = problemType('seed-unusable', 409);

/** Makes what resets the items of a store, to a seed that may be in a file. */
export function resetting(
  store: Store,
  fields: ItemFields,
  { run, log, seedFile }: { run: Run; log: Log | undefined; seedFile: SeedFile | undefined },
): Resets {
  const { ofWrites } = store.problems;
  let last: Promise<unknown> = Promise.resolve();
  return {
    seedContent: {
      mediaTypes: [JSON_MEDIA_TYPE],
      schema: new NamedSchema('Seed', () => ({
        description:
          'Create requests, which may also have `completed`, an id, and the time of creation ' +
          'where there is one. An object with one such array will do, too.',
        type: 'array',
        items: contentSchema(fields, 'seed'),
      })),
      isOptional: true,
      maxBytes: HEAP_BUDGET.maxSeedBytes,
      examples: { 'no items': [], 'one item': [{ id: 7, title: 'Buy milk' }] },
      problems: ['malformed-body', 'validation-failed', STORE_FULL, SEED_UNUSABLE, ...ofWrites],
      of: ({ content }) => (content.length === 0 ? undefined : content),
    },
    reset(other, settle) {
      const reset = last.then(() => resetTo(other, settle));
      last = reset.catch(() => {});
      return reset;
    },
    onReset(callback) {
      let shown = store.generation();
      store.items.table.onCommit(({ isReplacement }) => {
        const former = shown;
        if (isReplacement) shown = store.generation();
        // A replica that loads its list, for the first time or again, is not reset.
        if (former !== '' && shown !== former) callback();
      });
    },
  };

  async function resetTo(other?: GivenSeed | Buffer, settle?: Settle): Promise<void> {
    const file = other ? undefined : seedFile;
    try {
      const source = file ? await file.readAgain() : other;
      const seed = source && (await run(checkSeed(source, fields, file?.options)));
      logDropped(log, seed?.dropped);
      await store.reset(seed?.items, settle);
    } catch (error) {
      if (!file || error instanceof Problem) throw error;
      throw new Problem(SEED_UNUSABLE, file.unusable(error).message);
    }
  }
}

/** The problem of a reset to an invalid seed, or one too large; any other error as it is. */
export function seedProblem(error: unknown): unknown {
  if (error instanceof MalformedJsonError) {
    return new Problem('malformed-body', `The content ${error.message}; it must be JSON in UTF-8`);
  }
  if (!(error instanceof SeedError)) return fullProblem(error) ?? error;
  const { message, violations: errors } = error;
  return new Problem('validation-failed', `The seed is invalid: ${message}`, { errors });
}

/** Names the members of a seed that are not kept, in one line. */
export function logDropped(log: Log | undefined, dropped: readonly string[] = []): void {
  if (dropped.length === 0) return;
  log?.('info', 'members of the seed are not kept', { members: dropped.join(', ') });
}
