import { statSync } from 'node:fs';
import { readInputFile } from '../../lib/config/index.ts';
import type { ItemFields } from '../store/items.ts';
import { parseSeed, SeedError } from './seed.ts';

/**
 * Reads the seed in a file. It must not be longer than what items may take, since parsing takes
 * several times its size.
 * @throws SeedError, or what the system reports about the file
 */
export function readSeedFile(file: string, fields: ItemFields, maxBytes: number) {
  const stats = statSync(file);
  if (stats.isCharacterDevice()) throw new SeedError('it is a device, not a file');
  if (stats.size > maxBytes) {
    const most = `more than MAX_BYTES (${maxBytes}) allows for items`;
    throw new SeedError(`it has ${stats.size} bytes, ${most}`);
  }
  return parseSeed(readInputFile(file, maxBytes), fields);
}
