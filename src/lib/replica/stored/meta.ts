import { isJsonObject, type JsonObject, jsonObjectIn } from '../../json/index.ts';
import { type Column, integerIn, type Schema } from '../../table/index.ts';
import { IncompatibleError } from '../errors.ts';

/** The version of the storage format. 2.0 reads format 1, of 1.x, and raises it. */
const FORMAT = 2;
const PREVIOUS_FORMAT = 1;
const UNKNOWN_FORMAT = 'has data in a format that this version does not know';

/** The data on which all replicas of a list agree. */
export interface Meta {
  /** Identifies the list. Entity tags and event ids contain it. */
  readonly id: string;
  readonly maxRows: number;
  /** The text to store: with this version's format. */
  readonly text: string;
}

/** How a replica is configured. */
export interface ReplicaIdentity {
  readonly variant: string;
  readonly maxRows: number;
  /** Whether the limit was set explicitly. */
  readonly isMaxRowsGiven: boolean;
}

/** The `meta` to store for a new list. */
export function newMeta({ variant, maxRows }: ReplicaIdentity): string {
  const id = crypto.randomUUID();
  return JSON.stringify({ format: FORMAT, variant, limits: { maxRows }, id });
}

/** Reads the `meta` stored at `where`. @throws IncompatibleError if this replica does not fit */
export function metaOf(value: string, where: string, replica: ReplicaIdentity): Meta {
  const json: JsonObject = jsonObjectIn(value) ?? {};
  const { format, variant, limits, id } = json;
  const incompatible = (finding: string) => new IncompatibleError(where, finding);
  const wrong = (rule: string) => incompatible(`has a meta whose ${rule}`);
  if (format !== FORMAT && format !== PREVIOUS_FORMAT) throw incompatible(UNKNOWN_FORMAT);
  if (typeof variant !== 'string') throw wrong('variant is not a string');
  if (typeof id !== 'string') throw wrong('id is not a string');
  const maxRows = isJsonObject(limits) ? limits.maxRows : undefined;
  if (typeof maxRows !== 'number' || !Number.isSafeInteger(maxRows) || maxRows < 1) {
    throw wrong('limits.maxRows is not a positive integer');
  }
  if (variant !== replica.variant) {
    throw incompatible(`has items of variant ${variant}, and VARIANT is ${replica.variant}`);
  }
  if (replica.isMaxRowsGiven && maxRows !== replica.maxRows) {
    throw incompatible(`was created with MAX_ROWS ${maxRows}, not ${replica.maxRows}`);
  }
  const text = format === FORMAT ? value : JSON.stringify({ ...json, format: FORMAT });
  return { id, maxRows, text };
}

/**
 * Adds fields to a stored description, if there is one. Versions are compatible if a field means
 * the same to all that have it, and is optional if not all do. @throws IncompatibleError
 */
export function describedFields(fields: Schema, stored: string | undefined, where: string): string {
  const described = jsonObjectIn(stored ?? '{}');
  const incompatible = (finding: string) => new IncompatibleError(where, finding);
  if (described === undefined) throw incompatible(UNKNOWN_FORMAT);
  const all: Record<string, unknown> = { ...described };
  for (const [name, field] of Object.entries(fields)) {
    const [before, own] = [all[name], descriptionOf(field)];
    if (before !== undefined && !isSame(before, own)) {
      throw incompatible(`stores ${name} differently: ${JSON.stringify(before)}`);
    }
    if (before === undefined && stored !== undefined && !isOptional(own)) {
      throw incompatible(`has items without ${name}, which is neither nullable nor has a default`);
    }
    all[name] = before ?? own;
  }
  for (const [name, field] of Object.entries(described)) {
    if (Object.hasOwn(fields, name) || isOptional(field)) continue;
    throw incompatible(`has items that must have ${name}, which this version does not know`);
  }
  return JSON.stringify(all);
}

function descriptionOf({ kind, nullable = false, default: constant, maxLength }: Column) {
  const isInteger64 = kind === 'bigint' && integerIn(constant) !== undefined;
  const value = isInteger64 ? String(constant) : constant;
  return { kind, nullable, default: value, maxLength };
}

/** Whether a described field is optional. */
function isOptional(field: unknown): boolean {
  return isJsonObject(field) && (field.nullable === true || field.default !== undefined);
}

/** Whether a stored description has the same members as ours, and perhaps more. */
function isSame(stored: unknown, own: ReturnType<typeof descriptionOf>): boolean {
  if (!isJsonObject(stored)) return false;
  return Object.entries(own).every(([name, value]) => stored[name] === value);
}
