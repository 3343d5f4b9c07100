import { isJsonObject, type JsonObject, jsonObjectIn } from '../../json/index.ts';
import { UnreadableError } from '../errors.ts';
import type { KeyValue } from '../etcd/json.ts';

/** The maximum number of writers, and of histories, that a head remembers. */
export const MAX_WRITERS = 64;

/**
 * The key that every transaction writes last. The next transaction compares its revision; its
 * version counts commits; and when it arrives, the transaction is complete.
 */
export interface CommitHead {
  readonly generation: string;
  readonly idsAssigned: bigint;
  /** How many rows it has written, or a reset made current; if fewer arrive, some were lost. */
  readonly changes: number;
  /** The number of the last transaction of each writer; the latest writer comes last. */
  readonly writers: Readonly<Record<string, number>>;
  /**
   * The histories that transactions are part of. A writer begins one by its first transaction, and
   * by the first one after each loss of a connection: so what follows a restore from a backup is
   * part of another one than what was lost by it.
   */
  readonly histories: readonly (readonly [after: number, name: string])[];
}

/** A head as JSON. */
type HeadMessage = Omit<CommitHead, 'idsAssigned'> & { readonly idsAssigned: number | string };

/** A head in etcd. */
export interface StoredHead extends CommitHead {
  /** The stored text, which identifies it. */
  readonly text: string;
  readonly revision: number;
  readonly version: number;
}

/** Reads a stored head, which may have more members. @throws UnreadableError if it is none */
export function headOf({ key, value, modRevision, version }: KeyValue): StoredHead {
  // Heads of version 1.0 have no histories.
  const head: JsonObject = { histories: [], ...storedObject(key, value) };
  if (!isHead(head)) throw new UnreadableError(key, 'is not the head of a list');
  const idsAssigned = BigInt(head.idsAssigned);
  return { ...head, idsAssigned, text: value, revision: modRevision, version };
}

/** Reads a stored JSON object. @throws UnreadableError */
export function storedObject(key: string, text: string): JsonObject {
  const json = jsonObjectIn(text);
  if (json === undefined) throw new UnreadableError(key, 'is not a JSON object');
  return json;
}

/** Whether an object has the shape of a head: others may have written to its key. */
function isHead(head: JsonObject): head is JsonObject & HeadMessage {
  const { generation, idsAssigned, changes, writers, histories } = head;
  const isPair = (each: unknown) =>
    Array.isArray(each) && isCount(each[0]) && typeof each[1] === 'string';
  return (
    typeof generation === 'string' &&
    (isCount(idsAssigned) || isLongCount(idsAssigned)) &&
    isCount(changes) &&
    isJsonObject(writers) &&
    Object.values(writers).every(isCount) &&
    Array.isArray(histories) &&
    histories.every(isPair)
  );
}

/** A number that JSON would round is stored as a string. */
function isLongCount(value: unknown): boolean {
  return typeof value === 'string' && /^\d{16,19}$/.test(value);
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** The text to store for a head. */
export function textOfHead({ idsAssigned: count, ...rest }: CommitHead): string {
  const idsAssigned = count <= Number.MAX_SAFE_INTEGER ? Number(count) : String(count);
  return JSON.stringify({ ...rest, idsAssigned } satisfies HeadMessage);
}

/** The head of a writer's next transaction, in the history that it has begun, or begins now. */
export function nextHead(
  before: Pick<StoredHead, 'writers' | 'histories' | 'revision'>,
  writer: string,
  number: number,
  history: string,
  rest: Omit<CommitHead, 'writers' | 'histories'>,
): CommitHead {
  const { [writer]: _, ...others } = before.writers;
  const kept = Object.entries(others).slice(1 - MAX_WRITERS);
  let { histories } = before;
  if (histories.every(([, name]) => name !== history)) {
    histories = [...histories.slice(1 - MAX_WRITERS), [before.revision, history]];
  }
  return { ...rest, writers: { ...Object.fromEntries(kept), [writer]: number }, histories };
}

/** The head before the first one. */
export const NO_HEAD = { writers: {}, histories: [], revision: 0 };

/** The history that a revision is part of; undefined if it is older than all that are known. */
export function historyOf({ histories }: CommitHead, revision: number): string | undefined {
  return histories.findLast(([after]) => after < revision)?.[1];
}

/**
 * Whether a later head has a writer's transaction on the head `base`; undefined if too many others
 * have written since.
 */
export function wasApplied(now: StoredHead, base: StoredHead, writer: string, number: number) {
  const last = now.writers[writer];
  const isForgotten = last === undefined && now.version - base.version > MAX_WRITERS;
  return isForgotten ? undefined : last === number;
}
