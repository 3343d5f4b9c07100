import {
  isDeeperThan,
  isJsonObject,
  MAX_JSON_DEPTH,
  MalformedJsonError,
  parseJsonArray,
} from '../json/json-object.ts';
import type { Fields, FieldValues } from '../resource/field.ts';
import { createValidator } from '../resource/validator.ts';
import type { ItemFields } from './item-api.ts';

/** A bad seed; the message says in one line where it is wrong, and how. */
export class SeedError extends Error {
  override readonly name = 'SeedError';
}

/**
 * Parses a seed: a JSON array of create requests, which may also have `completed`.
 * @throws SeedError for the first bad item, with all of its violations
 */
export function parseSeed(bytes: Buffer, fields: ItemFields): readonly FieldValues[] {
  const validate = createValidator(seedFields(fields));
  return itemsOf(bytes).map((item, index) => {
    if (!isJsonObject(item)) throw new SeedError(`the item at index ${index} must be an object`);
    if (isDeeperThan(item, MAX_JSON_DEPTH)) {
      throw new SeedError(`the item at index ${index} is nested more than ${MAX_JSON_DEPTH} deep`);
    }
    // A long number in an item keeps only the digits that JSON.parse leaves.
    const validation = validate(item, JSON.stringify(item));
    if (validation.ok) return validation.values;
    const violations = validation.violations.map(({ pointer, detail }) => `${pointer} ${detail}`);
    throw new SeedError(`the item at index ${index} cannot be created: ${violations.join('; ')}`);
  });
}

/** A seed may also have what an update may have, such as `completed`. */
function seedFields(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      field.update ? { ...field, create: { ...field.create } } : field,
    ]),
  );
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
