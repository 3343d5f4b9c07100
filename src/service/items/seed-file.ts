import { mayHaveUserinfo } from '../../lib/config/index.ts';
import type { ItemRules } from '../resource/definition.ts';
import { readJsonFile } from '../resource/json-file.ts';
import type { InvalidInputError } from '../resource/validation.ts';
import type { SeedItems } from '../store/items.ts';
import { seedSteps, seedTooLarge } from './seed.ts';

/** The share of `maxBytes` that a file may have, because parsed it takes several times its size. */
const SHARE = 1 / 8;

/** The seed file, which is read at the start and again by each reset. */
export class SeedFile {
  readonly #path: string;
  readonly #maxBytes: number;
  readonly #subject: string;

  /** @param maxBytes the maximum memory of the items */
  constructor(path: string, maxBytes: number) {
    this.#path = path;
    this.#maxBytes = maxBytes;
    const shown = mayHaveUserinfo(path) ? '' : ` ${path}`;
    this.#subject = `the seed file${shown} cannot be used`;
  }

  /** Steps that read its items. @throws InvalidInputError if the file cannot be used */
  *read(rules: ItemRules): Generator<undefined, SeedItems> {
    const limit = `an eighth of MAX_BYTES (${this.#maxBytes})`;
    const given = readJsonFile(this.#path, this.#subject, this.#maxBytes * SHARE, limit);
    return yield* seedSteps(given, rules, this.#subject);
  }

  /** The error of a file whose items do not fit; undefined for other errors. */
  tooLarge(error: unknown): InvalidInputError | undefined {
    return seedTooLarge(error, this.#subject);
  }
}
