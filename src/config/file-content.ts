import { readFileSync } from 'node:fs';
import { ConfigError } from './setting.ts';

/**
 * Reads a text file that a setting names.
 * @param setting the setting as it was given
 * @throws ConfigError
 */
export function fileContent(setting: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`${setting} ${file} cannot be read: ${reasonOf(error)}`);
  }
}

/** The reason that an error gives. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
