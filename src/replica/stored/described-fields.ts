import type { Column, Schema } from '../../table/schema/column.ts';
import { IncompatibleError } from './meta.ts';

/**
 * Describes the fields of rows, together with those that only other versions have. Versions are
 * compatible if a field means the same to all that have it, and rows may lack it if not all do: it
 * is nullable, or has a constant default.
 * @param stored the description so far; undefined if the list was begun by a version without one
 * @param where names the list in errors
 * @returns the description to store
 * @throws IncompatibleError
 */
export function describedFields(fields: Schema, stored: string | undefined, where: string): string {
  const known = stored === undefined ? {} : parse(stored, where);
  const own = Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, descriptionOf(field)]),
  );
  for (const [name, { nullable, default: constant }] of Object.entries(fields)) {
    const before = known[name];
    if (before !== undefined && JSON.stringify(before) !== JSON.stringify(own[name])) {
      throw new IncompatibleError(`${where} stores ${name} differently: ${JSON.stringify(before)}`);
    }
    const isOptional = nullable === true || constant !== undefined;
    if (before === undefined && stored !== undefined && !isOptional) {
      const missing = `${where} has items without ${name}`;
      throw new IncompatibleError(`${missing}, which is neither nullable nor has a default`);
    }
  }
  return JSON.stringify({ ...known, ...own });
}

/** What a row may have in a field. */
function descriptionOf({ kind, nullable = false, default: constant, maxLength }: Column): object {
  const value = typeof constant === 'bigint' ? String(constant) : constant;
  return { kind, nullable, default: value, maxLength };
}

function parse(stored: string, where: string): Readonly<Record<string, unknown>> {
  try {
    return { ...JSON.parse(stored) };
  } catch {
    throw new IncompatibleError(`${where} describes its fields in an unknown way`);
  }
}
