import { statSync } from 'node:fs';
import { type Config, ConfigError, orConfigError, readInputFile } from '../lib/config/index.ts';
import { TableError } from '../lib/table/index.ts';
import { App, type AppOptions } from './app.ts';
import { ITEM_SETTINGS } from './settings/item-settings.ts';
import type { SeedItems } from './store/items.ts';
import { parseSeed, SeedError } from './todo/seed.ts';

/**
 * Creates the service that the settings describe; the options are what they cannot express.
 * @throws ConfigError if the seed cannot be used
 */
export function configuredApp(config: Config, options: Omit<AppOptions, 'config'> = {}): App {
  const { variant, maxRows, maxBytes, seedFile } = config.of(ITEM_SETTINGS);
  const appWith = (seed: SeedItems): App => {
    if (seed.length <= maxRows) return new App(variant, { ...options, config, seed });
    throw new SeedError(`there are ${seed.length} items, more than MAX_ROWS (${maxRows}) allows`);
  };
  if (seedFile === null) return appWith(options.seed ?? []);
  const sentence = `the seed file ${config.shown('seedFile')} cannot be used`;
  const content = orConfigError(sentence, () => readSeed(seedFile, maxBytes));
  try {
    const { items, dropped } = parseSeed(content, variant.fields);
    if (dropped.length > 0) {
      options.log?.('info', 'members of the seed are not kept', { members: dropped.join(', ') });
    }
    return appWith(items);
  } catch (error) {
    if (!(error instanceof SeedError || error instanceof TableError)) throw error;
    throw new ConfigError(`${sentence}: ${error.message}`);
  }
}

/** Reads a seed, unless it is too big: parsing takes several times its size. @throws SeedError */
function readSeed(file: string, maxBytes: number): Buffer {
  const stats = statSync(file);
  const { size } = stats;
  if (stats.isCharacterDevice()) throw new SeedError('it is a device, not a file');
  if (size > maxBytes) {
    throw new SeedError(`it has ${size} bytes, more than MAX_BYTES (${maxBytes}) allows for items`);
  }
  return readInputFile(file, maxBytes);
}
