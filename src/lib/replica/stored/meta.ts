import { isJsonObject } from '../../json/index.ts';
import { loadModule } from '../../lazy.ts';
import { IncompatibleError } from '../errors.ts';
import type { KeyValue } from '../etcd/json.ts';
import { storedObject } from './commit-head.ts';
import type { ListSchema } from './list-table.ts';

/** The version of the storage format. 3.0 upgrades format 2, of 2.x. */
const FORMAT = 3;
const PREVIOUS_FORMAT = 2;

/** The data on which all replicas of a list agree. */
export interface Meta {
  /** Identifies the list. Entity tags and event ids contain it. */
  readonly id: string;
  readonly maxRows: number;
  /** The text to store, in this version's format. */
  readonly text: string;
}

/** The configuration of a replica, which must fit the list. */
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

/**
 * Reads the `meta` of the list with a prefix.
 * @throws IncompatibleError if it is invalid, or this replica does not fit
 */
export function metaOf({ key, value }: KeyValue, prefix: string, replica: ReplicaIdentity): Meta {
  const json = storedObject(key, value);
  const { format, variant, id } = json;
  const incompatible = (finding: string) => new IncompatibleError(`ETCD_PREFIX ${prefix}`, finding);
  if (format !== FORMAT && format !== PREVIOUS_FORMAT) {
    throw incompatible('has data in a format that this version does not know');
  }
  const maxRows = isJsonObject(json.limits) ? json.limits.maxRows : undefined;
  const isPositive = typeof maxRows === 'number' && Number.isSafeInteger(maxRows) && maxRows > 0;
  if (typeof variant !== 'string' || typeof id !== 'string' || !isPositive) {
    throw new IncompatibleError(key, 'is not the meta of a list');
  }
  if (variant !== replica.variant) {
    throw incompatible(`has items of variant ${variant}, and VARIANT is ${replica.variant}`);
  }
  const fields = fingerprintOf(replica.schema);
  if (format === FORMAT && json.fields !== fields) {
    throw incompatible('has items with other fields');
  }
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
