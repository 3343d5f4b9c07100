import { isJsonObject, type JsonObject, jsonObjectIn } from '../../json/index.ts';
import { IncompatibleError } from '../errors.ts';
import type { KeyValue } from '../etcd/json.ts';

/** The maximum number of writers that a head remembers. */
export const MAX_WRITERS = 64;

/**
 * The value of the key that every transaction writes last. Each value is unique, and the next
 * transaction compares it. The version of the key counts commits. For a reader, a transaction is
 * complete when its head arrives.
 */
export interface CommitHead {
  readonly generation: string;
  readonly idsAssigned: bigint;
  /** The number of rows that the transaction wrote. If fewer arrive, some were lost. */
  readonly changes: number;
  /** The number of the last transaction of each writer; the latest writer comes last. */
  readonly writers: Readonly<Record<string, number>>;
}

/** A head as JSON, where `idsAssigned` is a string, or a number if 1.x has written it. */
type HeadMessage = Omit<CommitHead, 'idsAssigned'> & { readonly idsAssigned: number | string };

/** A head in etcd. */
export interface StoredHead extends CommitHead {
  /** The stored text. A transaction that is sent again has the same text. */
  readonly text: string;
  readonly revision: number;
  readonly version: number;
}

/**
 * Reads a stored head, which may have more members.
 * @param maxIds the number of ids that the list can assign
 * @throws IncompatibleError if invalid
 */
export function headOf({ key, value, modRevision, version }: KeyValue, maxIds: bigint): StoredHead {
  const head = storedObject(key, value);
  if (!isHead(head)) throw new IncompatibleError(key, 'is not the head of a list');
  const { generation, changes, writers } = head;
  const idsAssigned = BigInt(head.idsAssigned);
  if (idsAssigned > maxIds) {
    throw new IncompatibleError(key, 'has idsAssigned beyond the last id');
  }
  return {
    generation,
    idsAssigned,
    changes,
    writers,
    text: value,
    revision: modRevision,
    version,
  };
}

/** Reads a stored JSON object. @throws IncompatibleError */
export function storedObject(key: string, text: string): JsonObject {
  const json = jsonObjectIn(text);
  if (json === undefined) throw new IncompatibleError(key, 'is not a JSON object');
  return json;
}

/** Whether an object has the shape of a head. Other programs may have written to its key. */
function isHead(head: JsonObject): head is JsonObject & HeadMessage {
  const { generation, idsAssigned, changes, writers } = head;
  const isBigCount = typeof idsAssigned === 'string' && /^\d{1,19}$/.test(idsAssigned);
  return (
    typeof generation === 'string' &&
    (isBigCount || isCount(idsAssigned)) &&
    isCount(changes) &&
    isJsonObject(writers) &&
    Object.values(writers).every(isCount)
  );
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** The text to store for a head. */
export function textOfHead(head: CommitHead): string {
  return JSON.stringify({ ...head, idsAssigned: String(head.idsAssigned) } satisfies HeadMessage);
}

/** The head of a writer's next transaction. @param before the `writers` of the previous head */
export function nextHead(
  before: CommitHead['writers'],
  writer: string,
  number: number,
  rest: Omit<CommitHead, 'writers'>,
): CommitHead {
  const { [writer]: _, ...others } = before;
  const kept = Object.entries(others).slice(1 - MAX_WRITERS);
  return { ...rest, writers: { ...Object.fromEntries(kept), [writer]: number } };
}

/**
 * Whether the head `now` includes the transaction that a writer sent to follow `base`; undefined if
 * more than MAX_WRITERS transactions of other writers may have hidden it.
 */
export function wasApplied(now: StoredHead, base: StoredHead, writer: string, number: number) {
  const last = now.writers[writer];
  const isForgotten = last === undefined && now.version - base.version > MAX_WRITERS;
  return isForgotten ? undefined : last === number;
}

/** Whether a head precedes another one, or has replaced it in the same revision. */
export function isOlder(head: StoredHead, other: StoredHead): boolean {
  return head.revision <= other.revision && head.text !== other.text;
}

/**
 * Whether two heads are of the same commit. A transaction that is sent again after a restore has the
 * same text, but another revision.
 */
export function isSame(head: StoredHead | undefined, other: StoredHead): boolean {
  return head?.text === other.text && head.revision === other.revision;
}
