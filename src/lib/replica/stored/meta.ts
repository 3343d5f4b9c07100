import { isJsonObject, type JsonObject, jsonObjectIn } from '../../json/index.ts';
import { loadModule } from '../../lazy.ts';
import { IncompatibleError } from '../errors.ts';
import type { ListSchema } from './list-table.ts';

/** The version of the storage format. 3.0 reads format 2, of 2.x, and raises it. */
const FORMAT = 3;
const PREVIOUS_FORMAT = 2;

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
  readonly schema: ListSchema;
  readonly maxRows: number;
  /** Whether the limit was set explicitly. */
  readonly isMaxRowsGiven: boolean;
}

/** The `meta` to store for a new list. */
export function newMeta({ variant, schema, maxRows }: ReplicaIdentity): string {
  const id = crypto.randomUUID();
  const fields = fingerprintOf(schema);
  return JSON.stringify({ format: FORMAT, variant, fields, limits: { maxRows }, id });
}

/** Reads the `meta` stored at `where`. @throws IncompatibleError if this replica does not fit */
export function metaOf(value: string, where: string, replica: ReplicaIdentity): Meta {
  const json: JsonObject = jsonObjectIn(value) ?? {};
  const { format, variant, limits, id } = json;
  const incompatible = (finding: string) => new IncompatibleError(where, finding);
  const wrong = (rule: string) => incompatible(`has a meta whose ${rule}`);
  if (format !== FORMAT && format !== PREVIOUS_FORMAT) {
    throw incompatible('has data in a format that this version does not know');
  }
  if (typeof variant !== 'string') throw wrong('variant is not a string');
  if (typeof id !== 'string') throw wrong('id is not a string');
  const maxRows = isJsonObject(limits) ? limits.maxRows : undefined;
  if (typeof maxRows !== 'number' || !Number.isSafeInteger(maxRows) || maxRows < 1) {
    throw wrong('limits.maxRows is not a positive integer');
  }
  if (variant !== replica.variant) {
    throw incompatible(`has items of variant ${variant}, and VARIANT is ${replica.variant}`);
  }
  const fields = fingerprintOf(replica.schema);
  if (format === FORMAT && json.fields !== fields)
    throw incompatible('has items with other fields');
  if (replica.isMaxRowsGiven && maxRows !== replica.maxRows) {
    throw incompatible(`was created with MAX_ROWS ${maxRows}, not ${replica.maxRows}`);
  }
  const text = format === FORMAT ? value : JSON.stringify({ ...json, format: FORMAT, fields });
  return { id, maxRows, text };
}

/** Identifies the columns of a schema, as far as they decide which rows can be stored. */
function fingerprintOf(schema: ListSchema): string {
  const columns = Object.entries(schema).map(([name, column]) => {
    const { kind, nullable = false, default: constant, maxLength } = column;
    return [name, kind, nullable, String(constant), maxLength];
  });
  const { hash } = loadModule('node:crypto');
  return hash('sha256', JSON.stringify(columns.sort()), 'base64url').slice(0, 12);
}
