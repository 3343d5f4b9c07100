import { readFileSync, statSync } from 'node:fs';
import { type ConfigError, configError } from '../../lib/config/index.ts';
import { MalformedJsonError } from '../../lib/json/index.ts';
import type { ItemFields } from '../store/items.ts';
import { parseSeed, type Seed, SeedError } from './seed.ts';

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

  /** @throws ConfigError if the file cannot be used */
  read(fields: ItemFields): Seed {
    const { path, maxBytes } = this.#options;
    try {
      const stats = statSync(path);
      if (stats.isFIFO() || stats.isCharacterDevice()) throw new SeedError('it is not a file');
      if (stats.size > maxBytes * SHARE) {
        const limit = `an eighth of MAX_BYTES (${maxBytes})`;
        throw new SeedError(`it has ${stats.size} bytes, more than ${limit}`);
      }
      return parseSeed(readFileSync(path), fields);
    } catch (error) {
      throw this.unusable(error);
    }
  }

  /** The error of a file that cannot be used. */
  unusable(reason: unknown): ConfigError {
    const isMalformed = reason instanceof MalformedJsonError;
    const why = isMalformed ? `it ${reason.message}; it must be JSON in UTF-8` : reason;
    return configError(`the seed file ${this.#options.fileName} cannot be used`, why);
  }
}
