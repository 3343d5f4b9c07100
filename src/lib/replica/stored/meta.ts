import type { Column, Schema } from '../../table/index.ts';

/** The version of the storage format. */
const FORMAT = 1;

/** What all replicas of a list must agree on. */
export interface Meta {
  readonly format: number;
  readonly variant: string;
  readonly limits: { readonly maxRows: number };
  /** Identifies the list, and names its first history. */
  readonly id: string;
}

/** The stored `meta`, and the revision of its last write. */
export interface StoredMeta {
  readonly value: Meta;
  readonly revision: number;
}

/** How a replica is configured. */
export interface ReplicaIdentity {
  readonly variant: string;
  readonly maxRows: number;
  /** Whether the limit was set explicitly. */
  readonly isMaxRowsGiven: boolean;
}

/** Describes a new list. */
export function newMeta({ variant, maxRows }: ReplicaIdentity): Meta {
  return { format: FORMAT, variant, limits: { maxRows }, id: crypto.randomUUID() };
}

/** The stored list is incompatible with this replica; the message says why in one line. */
export class IncompatibleError extends Error {
  override readonly name = 'IncompatibleError';
}

/** Parses the `meta` stored at `where`. @throws IncompatibleError if this replica does not fit */
export function metaOf(text: string, where: string, replica: ReplicaIdentity): Meta {
  const meta: Meta = parse(text, where);
  if (meta.format !== FORMAT) throw unknownFormat(where);
  if (meta.variant !== replica.variant) {
    const both = `${where} has items of variant ${meta.variant}`;
    throw new IncompatibleError(`${both}, and VARIANT is ${replica.variant}`);
  }
  const { maxRows } = meta.limits;
  if (replica.isMaxRowsGiven && maxRows !== replica.maxRows) {
    const stored = `${where} was created with MAX_ROWS ${maxRows}`;
    throw new IncompatibleError(`${stored}, not ${replica.maxRows}`);
  }
  return meta;
}

/**
 * Describes the fields of rows, with those that only other versions have. Versions are compatible
 * if a field means the same to all that have it, and is optional if not all do.
 * @param stored the description so far; undefined if the list was begun by a version without one
 * @param where names the list in errors
 * @throws IncompatibleError
 */
export function describedFields(fields: Schema, stored: string | undefined, where: string): string {
  const all: Record<string, unknown> = stored === undefined ? {} : parse(stored, where);
  for (const [name, field] of Object.entries(fields)) {
    const [before, own] = [all[name], descriptionOf(field)];
    if (before !== undefined && JSON.stringify(before) !== JSON.stringify(own)) {
      throw new IncompatibleError(`${where} stores ${name} differently: ${JSON.stringify(before)}`);
    }
    const isOptional = own.nullable || own.default !== undefined;
    if (before === undefined && stored !== undefined && !isOptional) {
      const missing = `${where} has items without ${name}`;
      throw new IncompatibleError(`${missing}, which is neither nullable nor has a default`);
    }
    all[name] = own;
  }
  return JSON.stringify(all);
}

/** What a row may have in a field. */
function descriptionOf({ kind, nullable = false, default: constant, maxLength }: Column) {
  const value = typeof constant === 'bigint' ? String(constant) : constant;
  return { kind, nullable, default: value, maxLength };
}

function parse(text: string, where: string) {
  try {
    return { ...JSON.parse(text) };
  } catch {
    throw unknownFormat(where);
  }
}

function unknownFormat(where: string): IncompatibleError {
  return new IncompatibleError(`${where} has data in a format that this version does not know`);
}
