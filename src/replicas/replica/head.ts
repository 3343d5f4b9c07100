import { jsonObjectIn } from '../../lib/json/index.ts';
import { loadModule } from '../../lib/node-module.ts';
import { GapError, IncompatibleError } from './errors.ts';
import type { KeyValue } from './etcd/gateway.ts';
import type { ListSchema } from './rows.ts';

/** The version of the storage format. */
const FORMAT = 4;

/** The configuration of a replica, which must fit the list. */
export interface ReplicaIdentity {
  readonly variant: string;
  readonly schema: ListSchema;
  readonly maxRows: number;
  /** Whether the limit was set explicitly. */
  readonly isMaxRowsGiven: boolean;
}

/** The JSON of a head. */
interface HeadMembers {
  readonly format: typeof FORMAT;
  readonly variant: string;
  /** Identifies the columns. */
  readonly fields: string;
  readonly maxRows: number;
  /** Identifies the list from its creation on. Entity tags and event ids contain it. */
  readonly id: string;
  /** The name of the rows that count. */
  readonly generation: string;
  /** The number of ids assigned so far, in digits. */
  readonly idsAssigned: string;
  /** The number of rows that the commit wrote. If fewer arrive, some were lost. */
  readonly changes: number;
  /** Identifies the commit. */
  readonly token: string;
  /** The token of the commit before it; empty for the first one. */
  readonly previous: string;
}

/** The members that each commit sets. */
export type CommitMembers = Pick<HeadMembers, 'generation' | 'idsAssigned' | 'changes'>;

/**
 * The value of the key `head` after a commit. Each commit writes it last, and compares the text of
 * the previous one. For a reader, a commit is complete when its head arrives. Each head names the
 * previous one, so that heads are a chain.
 */
export class Head {
  readonly members: HeadMembers;
  readonly text: string;
  /** The revision of the commit. */
  readonly revision: number;
  /** The head that followed it, if this replica has seen that. */
  next: Head | undefined;

  constructor(members: HeadMembers, text: string, revision: number) {
    this.members = members;
    this.text = text;
    this.revision = revision;
  }

  /**
   * Reads a stored head, which may have more members.
   * @throws GapError if it was deleted; IncompatibleError if this replica cannot use it
   */
  static read({ key, value, revision }: KeyValue, replica: ReplicaIdentity): Head {
    if (value === undefined) throw new GapError(`${key} was deleted`);
    const members = jsonObjectIn(value);
    const incompatible = (finding: string) => new IncompatibleError(`${key} ${finding}`);
    if (members?.format !== FORMAT) {
      throw incompatible(`has no list in format ${FORMAT}, the only one that this version reads`);
    }
    if (!isHead(members)) throw incompatible('is not the head of a list');
    const { variant, fields, maxRows, idsAssigned } = members;
    const { schema, isMaxRowsGiven } = replica;
    if (variant !== replica.variant) {
      const served = `this replica serves ${replica.variant} (VARIANT, RESOURCE)`;
      throw incompatible(`is of ${variant}, and ${served}`);
    }
    if (fields !== fingerprintOf(schema)) throw incompatible('is of a list with other fields');
    if (isMaxRowsGiven && maxRows !== replica.maxRows) {
      throw incompatible(`has MAX_ROWS ${maxRows}, not ${replica.maxRows}`);
    }
    const { from, to } = schema.id.identity;
    if (BigInt(idsAssigned) > BigInt(to) - BigInt(from) + 1n) {
      throw incompatible('has idsAssigned beyond the last id');
    }
    return new Head(members, value, revision);
  }

  /** The text of the first head of a new list. */
  static first(
    { variant, schema, maxRows }: ReplicaIdentity,
    commit: CommitMembers,
    token: string,
  ): string {
    const list = { format: FORMAT, variant, fields: fingerprintOf(schema), maxRows } as const;
    const members = { ...list, id: crypto.randomUUID(), ...commit, token, previous: '' };
    return JSON.stringify(members satisfies HeadMembers);
  }

  /** The text of the head of a commit that is to follow this one. */
  successor(commit: CommitMembers, token: string): string {
    const members = { ...this.members, ...commit, token, previous: this.members.token };
    return JSON.stringify(members satisfies HeadMembers);
  }

  /** Whether its commit came right after that of another head. */
  follows(other: Head): boolean {
    return this.members.previous === other.members.token;
  }

  /** Whether it is of the commit with this token. */
  isOf(token: string): boolean {
    return this.members.token === token;
  }

  /** Whether two heads are the same. A commit that is sent again after a restore has another revision. */
  isSame(other: Head): boolean {
    return this.text === other.text && this.revision === other.revision;
  }

  /** Whether etcd, which had the head `before` and now has `now`, was restored from a backup. */
  static isRestored(before: Head | undefined, now: Head | undefined): boolean {
    if (before === undefined) return false;
    return now === undefined || (now.revision <= before.revision && !now.isSame(before));
  }
}

/** Whether an object has the shape of a head. Other programs may have written to its key. */
function isHead(members: object): members is HeadMembers {
  const { maxRows, idsAssigned, changes, ...texts }: Partial<HeadMembers> = members;
  const { variant, fields, id, generation, token, previous } = texts;
  return (
    [variant, fields, id, generation, token, previous].every((each) => typeof each === 'string') &&
    typeof idsAssigned === 'string' &&
    /^\d{1,19}$/.test(idsAssigned) &&
    [maxRows, changes].every((each) => Number.isSafeInteger(each) && Number(each) >= 0)
  );
}

const fingerprints = new WeakMap<ListSchema, string>();

/** Identifies the columns of a schema, as far as they decide which rows can be stored. */
function fingerprintOf(schema: ListSchema): string {
  const known = fingerprints.get(schema);
  if (known !== undefined) return known;
  const columns = Object.entries(schema).map(([name, column]) => {
    const { kind, nullable = false, default: constant, maxLength } = column;
    return [name, kind, nullable, String(constant), maxLength];
  });
  const { hash } = loadModule('node:crypto');
  const fingerprint = hash('sha256', JSON.stringify(columns.sort()), 'base64url').slice(0, 12);
  fingerprints.set(schema, fingerprint);
  return fingerprint;
}
