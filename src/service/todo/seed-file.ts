import { statSync } from 'node:fs';
import { type ConfigError, configError, inputFile } from '../../lib/config/index.ts';
import { MalformedJsonError } from '../../lib/json/index.ts';
import { resultOf } from '../../lib/steps.ts';
import type { ItemFields } from '../store/items.ts';
import { checkSeed, type Seed, type SeedLimits } from './seed.ts';
import { SeedError } from './seed-source.ts';

interface SeedFileOptions extends SeedLimits {
  readonly path: string;
  /** Names the file in errors. */
  readonly shown: string;
}

/** The file with the seed, which is read at the start, and again by each reset. */
export class SeedFile {
  readonly options: SeedFileOptions;

  constructor(options: SeedFileOptions) {
    this.options = options;
  }

  /** Reads the seed, at the start. @throws ConfigError */
  async read(fields: ItemFields): Promise<Seed> {
    const { path, maxBytes } = this.options;
    try {
      this.#checkSize();
      return resultOf(checkSeed(await inputFile(path, maxBytes), fields, this.options));
    } catch (error) {
      throw this.unusable(error);
    }
  }

  /** Reads the content again. @throws SeedError, or what the system reports about the file */
  async readAgain(): Promise<Buffer> {
    if (this.#checkSize().isFIFO())
      throw new SeedError('it is a pipe, which can be read only once');
    // Loaded by a reset alone, which few processes get.
    return await process.getBuiltinModule('node:fs/promises').readFile(this.options.path);
  }

  /** The error of a file that cannot be used, and why. */
  unusable(reason: unknown): ConfigError {
    const isMalformed = reason instanceof MalformedJsonError;
    const why = isMalformed ? `it ${reason.message}; it must be JSON in UTF-8` : reason;
    return configError(`the seed file ${this.options.shown} cannot be used`, why);
  }

  /** Refuses a file larger than the items may be, since parsing takes several times its size. */
  #checkSize() {
    const { path, maxBytes } = this.options;
    const stats = statSync(path);
    if (stats.isCharacterDevice()) throw new SeedError('it is a device, not a file');
    if (stats.size <= maxBytes) return stats;
    const most = `more than MAX_BYTES (${maxBytes}) allows for items`;
    throw new SeedError(`it has ${stats.size} bytes, ${most}`);
  }
}
