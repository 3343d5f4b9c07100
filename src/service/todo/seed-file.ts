import { statSync } from 'node:fs';
import { readInputFile } from '../../lib/config/index.ts';
import type { ItemFields } from '../store/items.ts';
import { parseSeed } from './seed.ts';
import { SeedError } from './seed-error.ts';

/** The file with the seed, which is read at the start, and again by each reset. */
export class SeedFile {
  readonly #path: string;
  readonly #maxRows: number;
  readonly #maxBytes: number;

  /** @param limits of the items */
  constructor(path: string, limits: { readonly maxRows: number; readonly maxBytes: number }) {
    this.#path = path;
    this.#maxRows = limits.maxRows;
    this.#maxBytes = limits.maxBytes;
  }

  /** Reads the seed, at the start. @throws SeedError, or what the system reports about the file */
  read(fields: ItemFields) {
    this.#checkSize();
    const seed = parseSeed(readInputFile(this.#path, this.#maxBytes), fields);
    this.checkLength(seed.items.length);
    return seed;
  }

  /** Reads the content again. Rejected like {@link read}. */
  async readAgain(): Promise<Buffer> {
    if (this.#checkSize().isFIFO())
      throw new SeedError('it is a pipe, which can be read only once');
    // Loaded by a reset alone, which few processes get.
    return await process.getBuiltinModule('node:fs/promises').readFile(this.#path);
  }

  /** @throws SeedError if there are more items than the limit */
  checkLength(length: number): void {
    checkSeedLength(length, this.#maxRows);
  }

  /** It must not be longer than what items may take, since parsing takes several times its size. */
  #checkSize() {
    const stats = statSync(this.#path);
    if (stats.isCharacterDevice()) throw new SeedError('it is a device, not a file');
    if (stats.size <= this.#maxBytes) return stats;
    const most = `more than MAX_BYTES (${this.#maxBytes}) allows for items`;
    throw new SeedError(`it has ${stats.size} bytes, ${most}`);
  }
}

/** @throws SeedError if there are more items than the limit */
export function checkSeedLength(length: number, maxRows: number): void {
  if (length <= maxRows) return;
  throw new SeedError(`there are ${length} items, more than MAX_ROWS (${maxRows}) allows`);
}
