/** The version of the storage format. */
const FORMAT = 1;

/** What all replicas of a list must agree on. */
export interface Meta {
  readonly format: number;
  readonly variant: string;
  readonly limits: { readonly maxRows: number };
  /**
   * Identifies the list and its history; the ids of its events begin with it. A restore from a
   * backup begins another history.
   */
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

/** Makes what describes a new list, with an id that no other list has. */
export function newMeta({ variant, maxRows }: ReplicaIdentity): Meta {
  return { format: FORMAT, variant, limits: { maxRows }, id: crypto.randomUUID() };
}

/** The stored list is incompatible with this replica; the message says why in one line. */
export class IncompatibleError extends Error {
  override readonly name = 'IncompatibleError';
}

/**
 * Parses the stored `meta`, and checks that it is compatible with this replica.
 * @param where names the list in errors
 * @throws IncompatibleError
 */
export function metaOf(text: string, where: string, replica: ReplicaIdentity): Meta {
  const meta = parse(text);
  if (meta?.format !== FORMAT) {
    throw new IncompatibleError(`${where} has data in a format that this version does not know`);
  }
  if (meta.variant !== replica.variant) {
    const both = `${where} has items of variant ${meta.variant}`;
    throw new IncompatibleError(`${both}, and VARIANT is ${replica.variant}`);
  }
  const { maxRows } = meta.limits;
  if (replica.isMaxRowsGiven && maxRows !== replica.maxRows) {
    throw new IncompatibleError(
      `${where} was created with MAX_ROWS ${maxRows}, not ${replica.maxRows}`,
    );
  }
  return meta;
}

function parse(text: string): Meta | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
