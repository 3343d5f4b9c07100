import { readFileSync, statSync } from 'node:fs';
import { reasonOf } from '../../lib/config/index.ts';
import { isJson, MalformedJsonError, parseJsonBytes } from '../../lib/json/index.ts';
import type { ItemRules } from '../resource/definition.ts';
import { InvalidInputError } from '../resource/validation.ts';
import type { SeedItems } from '../store/items.ts';
import { seedSteps, seedTooLarge } from './seed.ts';

/** The share of `maxBytes` that a file may have, because parsed it takes several times its size. */
const SHARE = 1 / 8;

/** Matches a text that neither begins like a seed nor is in another encoding. */
const OTHER_START = /^\s*[^\s[{\ufffd]/;

/** The seed file, which is read at the start and again by each reset. */
export class SeedFile {
  readonly #path: string;
  readonly #maxBytes: number;

  /** @param maxBytes the maximum memory of the items */
  constructor(path: string, maxBytes: number) {
    this.#path = path;
    this.#maxBytes = maxBytes;
  }

  /** Steps that read its items. @throws InvalidInputError if the file cannot be used */
  *read(rules: ItemRules): Generator<undefined, SeedItems> {
    try {
      const stats = statSync(this.#path);
      if (!stats.isFile()) throw this.#unusable('is not a file');
      if (stats.size > this.#maxBytes * SHARE) {
        const limit = `an eighth of MAX_BYTES (${this.#maxBytes})`;
        throw this.#unusable(`has ${stats.size} bytes, more than ${limit}`);
      }
      return yield* seedSteps(this.#parse(readFileSync(this.#path)), rules, this.#subject);
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

  /** Parses the content. The error does not quote a file that may be of a secret. */
  #parse(bytes: Buffer): unknown {
    try {
      return parseJsonBytes(bytes, isJson);
    } catch (error) {
      if (OTHER_START.test(bytes.toString())) throw this.#unusable('must begin with [ or {');
      throw error;
    }
  }

  #unusable(detail: string): InvalidInputError {
    return new InvalidInputError(this.#subject, [{ pointer: '#', code: 'value', detail }]);
  }

  get #subject(): string {
    return `the seed file ${this.#path} cannot be used`;
  }
}
