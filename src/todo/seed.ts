import {
  isDeeperThan,
  isJsonObject,
  MAX_JSON_DEPTH,
  MalformedJsonError,
  parseJsonArray,
} from '../json/json-object.ts';
import type { FieldValues } from '../resource/field.ts';
import { createValidator } from '../resource/validator.ts';
import type { TodoFields } from './fields.ts';

/** A seed that cannot be used; the message says in one line where it is wrong, and how. */
export class SeedError extends Error {
  override readonly name = 'SeedError';
}

/**
 * Reads a seed: a JSON array of create requests, each of which may say as well whether it is
 * completed.
 * @throws SeedError for the first item that cannot be created, with all that is wrong with it
 */
export function parseSeed(bytes: Buffer, fields: TodoFields): readonly FieldValues[] {
  const validate = createValidator({ ...fields, completed: { ...fields.completed, create: {} } });
  return itemsOf(bytes).map((item, index) => {
    if (!isJsonObject(item)) throw new SeedError(`item ${index} must be an object`);
    if (isDeeperThan(item, MAX_JSON_DEPTH)) {
      throw new SeedError(`item ${index} is nested more than ${MAX_JSON_DEPTH} deep`);
    }
    // The digits of a long number in an item are those that JSON.parse leaves of them.
    const validation = validate(item, JSON.stringify(item));
    if (validation.ok) return validation.values;
    const violations = validation.violations.map(({ pointer, detail }) => `${pointer} ${detail}`);
    throw new SeedError(`item ${index} cannot be created: ${violations.join('; ')}`);
  });
}

function itemsOf(bytes: Buffer): readonly unknown[] {
  try {
    return parseJsonArray(bytes);
  } catch (error) {
    if (!(error instanceof MalformedJsonError)) throw error;
    throw new SeedError(`it ${oneLine(error.message)}; it must be a JSON array in UTF-8`);
  }
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}
