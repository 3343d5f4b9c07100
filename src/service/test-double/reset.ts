import { JSON_MEDIA_TYPES, Problem, parseContent, type Request } from '../../lib/http/index.ts';
import { isJson, NamedSchema, parseJsonBytes } from '../../lib/json/index.ts';
import { HEAP_BUDGET } from '../memory-plan.ts';
import type { RequestContent } from '../operation.ts';
import { problemType } from '../problem-types.ts';
import { InvalidInputError } from '../resource/validation.ts';
import type { SeedItems } from '../store/items.ts';
import { fullProblem } from '../store/problems.ts';
import type { Store } from '../store/store.ts';
import { readSeed, type SeedRules, seedShape } from '../todo/seed.ts';
import type { SeedFile } from '../todo/seed-file.ts';

const SEED_UNUSABLE = problemType('seed-unusable');
const RESET = problemType('reset');

const REQUEST_BEFORE_RESET = new Problem(
  RESET,
  'The service was reset before this request was carried out; nothing was done',
  { close: true },
);

interface ResetOptions {
  readonly seedFile: SeedFile | undefined;
  /** Returns the number of the latest request. */
  readonly lastRequestNumber: () => number;
}

/** Resets the list, and refuses requests from before the last reset. */
export class Resets {
  readonly #store: Store;
  readonly #rules: SeedRules;
  readonly #options: ResetOptions;
  readonly #onReset: (() => void)[] = [];
  /** The number of the last request before the last reset; 0 before any reset. */
  #lastNumber = 0;
  #pending: Promise<unknown> = Promise.resolve();

  constructor(store: Store, rules: SeedRules, options: ResetOptions) {
    this.#store = store;
    this.#rules = rules;
    this.#options = options;
    let generation = store.generation();
    store.items.table.onCommit(({ isReplacement }) => {
      const previous = generation;
      if (isReplacement) generation = store.generation();
      // Loading the list, the first time or again, is not a reset.
      if (previous === '' || previous === generation) return;
      this.#lastNumber = options.lastRequestNumber();
      for (const callback of this.#onReset) callback();
    });
  }

  /** Calls back when the list has been reset, also by another replica. */
  onReset(callback: () => void): void {
    this.#onReset.push(callback);
  }

  /** Refuses a request from before the last reset. @throws Problem `reset` */
  check({ number }: Pick<Request, 'number'>): void {
    if (number <= this.#lastNumber) throw REQUEST_BEFORE_RESET;
  }

  /**
   * Resets the list to `seed`; by default, to the seed of the service, whose file is read again.
   * @throws TableFullError, or a Problem of the file or the store
   */
  reset(seed?: SeedItems): Promise<void> {
    return this.#enqueue(() => seed);
  }

  /** `reset` for a request. @throws Problem, also if the seed is invalid or does not fit */
  async resetByRequest(seedOf: () => SeedItems | undefined): Promise<void> {
    await this.#enqueue(seedOf).catch((error) => {
      throw fullProblem(error, 'send fewer or shorter ones') ?? error;
    });
  }

  /** Resets one after the other, because parsing a seed takes many times its size in memory. */
  #enqueue(seedOf: () => SeedItems | undefined): Promise<void> {
    const reset = this.#pending.then(() => this.#resetTo(seedOf()));
    this.#pending = reset.catch(() => {});
    return reset;
  }

  async #resetTo(givenSeed?: SeedItems): Promise<void> {
    const { seedFile } = this.#options;
    const file = givenSeed ? undefined : seedFile;
    try {
      await this.#store.reset(givenSeed ?? file?.read(this.#rules));
    } catch (error) {
      const reason = error instanceof InvalidInputError ? error : file?.tooLarge(error);
      if (file === undefined || reason === undefined) throw error;
      throw new Problem(SEED_UNUSABLE, reason.message);
    }
  }

  /** The content of a reset request: a seed, or nothing for the service's own seed. */
  seedContent(): RequestContent<SeedItems | undefined> {
    return {
      mediaTypes: JSON_MEDIA_TYPES,
      schema: new NamedSchema('Seed', () => seedShape(this.#rules).schema),
      isOptional: true,
      maxBytes: HEAP_BUDGET.maxSeedBytes,
      examples: { 'no items': [], 'one item': [{ id: 7, title: 'Buy milk' }] },
      of: ({ content }) => {
        if (content.length === 0) return undefined;
        return readSeed(
          parseContent(() => parseJsonBytes(content, isJson), 'JSON'),
          this.#rules,
        );
      },
    };
  }
}
