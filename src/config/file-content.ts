import { readFileSync } from 'node:fs';
import { orConfigError } from './setting.ts';

/**
 * Reads a text file that a setting names.
 * @param setting the setting as it was given
 * @throws ConfigError
 */
export function fileContent(setting: string, file: string): string {
  return orConfigError(`${setting} ${file} cannot be read`, () => readFileSync(file, 'utf8'));
}
