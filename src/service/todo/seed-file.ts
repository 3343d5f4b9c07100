import { statSync } from 'node:fs';
import { type ConfigError, configError, readInputFile } from '../../lib/config/index.ts';
import type { ItemFields } from '../store/items.ts';
import { inOneLine, parseSeed, type Seed } from './seed.ts';
import { SeedError } from './seed-source.ts';

/** How many items there may be, and how many bytes they may take. */
interface SeedLimits {
  readonly maxRows: number;
  readonly maxBytes: number;
}

/** The file with the seed, which is read at the start, and again by each reset. */
export class SeedFile {
  readonly #path: string;
  readonly #shown: string;
  readonly #limits: SeedLimits;

  /** @param shown names the file in errors */
  constructor(path: string, shown: string, limits: SeedLimits) {
    this.#path = path;
    this.#shown = shown;
    this.#limits = limits;
  }

  /** Reads the seed, at the start. @throws ConfigError */
  read(fields: ItemFields): Seed {
    try {
      this.#checkSize();
      const seed = parseSeed(readInputFile(this.#path, this.#limits.maxBytes), fields);
      this.checkLength(seed.items.length);
      return seed;
    } catch (error) {
      throw this.unusable(error);
    }
  }

  /** Reads the content again. @throws SeedError, or what the system reports about the file */
  async readAgain(): Promise<Buffer> {
    if (this.#checkSize().isFIFO())
      throw new SeedError('it is a pipe, which can be read only once');
    // Loaded by a reset alone, which few processes get.
    return await process.getBuiltinModule('node:fs/promises').readFile(this.#path);
  }

  /** @throws SeedError if there are more items than the limit */
  checkLength(length: number): void {
    checkSeedLength(length, this.#limits.maxRows);
  }

  /** The error of a file that cannot be used, and why. */
  unusable(reason: unknown): ConfigError {
    return configError(`the seed file ${this.#shown} cannot be used`, inOneLine(reason));
  }

  /** It must not be longer than what items may take, since parsing takes several times its size. */
  #checkSize() {
    const { maxBytes } = this.#limits;
    const stats = statSync(this.#path);
    if (stats.isCharacterDevice()) throw new SeedError('it is a device, not a file');
    if (stats.size <= maxBytes) return stats;
    const most = `more than MAX_BYTES (${maxBytes}) allows for items`;
    throw new SeedError(`it has ${stats.size} bytes, ${most}`);
  }
}

/** @throws SeedError if there are more items than the limit */
export function checkSeedLength(length: number, maxRows: number): void {
  if (length <= maxRows) return;
  throw new SeedError(`there are ${length} items, more than MAX_ROWS (${maxRows}) allows`);
}
