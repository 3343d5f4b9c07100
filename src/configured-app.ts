import { statSync } from 'node:fs';
import { App, type AppOptions } from './app.ts';
import type { Config } from './config/config.ts';
import { readInputFile } from './config/input-file.ts';
import { ConfigError, orConfigError } from './config/setting.ts';
import { TableError } from './table/errors.ts';
import { parseSeed, SeedError } from './todo/seed.ts';
import { ITEM_SETTINGS } from './todo/settings.ts';

/**
 * Creates the service that the settings describe; the options are what they cannot express.
 * @throws ConfigError if the seed cannot be used
 */
export function configuredApp(config: Config, options: Omit<AppOptions, 'config'> = {}): App {
  const { variant, seedFile, maxBytes } = config.of(ITEM_SETTINGS);
  if (seedFile === null) return seededApp(config, options);
  const sentence = `the seed file ${seedFile} cannot be used`;
  const content = orConfigError(sentence, () => readSeed(seedFile, maxBytes));
  try {
    const { items: seed, dropped } = parseSeed(content, variant.fields);
    if (dropped.length > 0) {
      options.log?.('info', 'members of the seed are not kept', { members: dropped.join(', ') });
    }
    return seededApp(config, { ...options, seed });
  } catch (error) {
    if (!(error instanceof SeedError || error instanceof TableError)) throw error;
    throw new ConfigError(`${sentence}: ${error.message}`);
  }
}

/** @throws SeedError, TableFullError */
function seededApp(config: Config, options: AppOptions): App {
  const { variant, maxRows } = config.of(ITEM_SETTINGS);
  const { length = 0 } = options.seed ?? [];
  if (length > maxRows) {
    throw new SeedError(`there are ${length} items, more than MAX_ROWS (${maxRows}) allows`);
  }
  return new App(variant, { ...options, config });
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
