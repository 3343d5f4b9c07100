import { readFileSync, statSync } from 'node:fs';
import { reasonOf } from '../../lib/config/index.ts';
import { isJson, MalformedJsonError, parseJsonBytes } from '../../lib/json/index.ts';
import { InvalidInputError } from '../resource/validation.ts';
import type { SeedItems } from '../store/items.ts';
import { readSeed, type SeedRules, seedTooLarge } from './seed.ts';

interface SeedFileOptions {
  readonly path: string;
  /** The name of the file in errors. */
  readonly fileName: string;
  /** The maximum memory of the items. */
  readonly maxBytes: number;
}

/** The share of `maxBytes` that a file may have, because parsed it takes several times its size. */
const SHARE = 1 / 8;

/** The seed file, which is read at the start and again by each reset. */
export class SeedFile {
  readonly #options: SeedFileOptions;

  constructor(options: SeedFileOptions) {
    this.#options = options;
  }

  /** @throws InvalidInputError if the file cannot be used */
  read(rules: SeedRules): SeedItems {
    const { path, maxBytes } = this.#options;
    try {
      const stats = statSync(path);
      if (!stats.isFile()) throw this.#unusable('is not a file');
      if (stats.size > maxBytes * SHARE) {
        const limit = `an eighth of MAX_BYTES (${maxBytes})`;
        throw this.#unusable(`has ${stats.size} bytes, more than ${limit}`);
      }
      const seed = parseJsonBytes(readFileSync(path), isJson);
      return readSeed(seed, rules, this.#subject);
    } catch (error) {
      if (error instanceof InvalidInputError) throw error;
      const isMalformed = error instanceof MalformedJsonError;
      throw this.#unusable(
        isMalformed
          ? `${error.message}; it must be JSON in UTF-8`
          : `cannot be read: ${reasonOf(error)}`,
      );
    }
  }

  /** The error of a file whose items do not fit; undefined for other errors. */
  tooLarge(error: unknown): InvalidInputError | undefined {
    return seedTooLarge(error, this.#subject);
  }

  #unusable(detail: string): InvalidInputError {
    return new InvalidInputError(this.#subject, [{ pointer: '#', code: 'value', detail }]);
  }

  get #subject(): string {
    return `the seed file ${this.#options.fileName} cannot be used`;
  }
}
