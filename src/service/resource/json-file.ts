import { readFileSync, statSync } from 'node:fs';
import { reasonOf } from '../../lib/config/index.ts';
import { isJson, MalformedJsonError, parseJsonBytes } from '../../lib/json/index.ts';
import { InvalidInputError } from './validation.ts';

/** Matches a text that neither begins like an array or object nor is in another encoding. */
const OTHER_START = /^\s*[^\s[{\ufffd]/;

/**
 * Reads a JSON file that a setting names.
 * @param subject begins the message of an error
 * @param maxBytes its maximum size
 * @param limit that size in words, for an error
 * @throws InvalidInputError if it cannot be used
 */
export function readJsonFile(
  path: string,
  subject: string,
  maxBytes: number,
  limit = String(maxBytes),
): unknown {
  const unusable = (detail: string) =>
    new InvalidInputError(subject, [{ pointer: '#', code: 'value', detail }]);
  try {
    const stats = statSync(path);
    if (!stats.isFile()) throw unusable('is not a file');
    if (stats.size > maxBytes) throw unusable(`has ${stats.size} bytes, more than ${limit}`);
    const bytes = readFileSync(path);
    try {
      return parseJsonBytes(bytes, isJson);
    } catch (error) {
      if (!(error instanceof MalformedJsonError)) throw error;
      // The error does not quote a file that may be of a secret.
      const isOther = OTHER_START.test(bytes.toString());
      throw unusable(
        isOther ? 'must begin with [ or {' : `${error.message}; it must be JSON in UTF-8`,
      );
    }
  } catch (error) {
    if (error instanceof InvalidInputError) throw error;
    throw unusable(`cannot be read: ${reasonOf(error)}`);
  }
}
