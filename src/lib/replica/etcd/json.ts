import { isJsonObject, type JsonObject } from '../../json/index.ts';
import { EtcdError } from './etcd-error.ts';

/*
 * The JSON of etcd's gateway: keys and values in base64, 64-bit integers as strings; members that
 * are zero, false or empty are omitted (https://etcd.io/docs/latest/dev-guide/api_grpc_gateway/).
 * A proxy may answer instead of etcd, with any content. So the shape of each answer is checked.
 */

/** An operation of a transaction, as sent. */
export type OperationMessage = ReturnType<typeof put | typeof remove | typeof get>;

/** A transaction, as sent. */
export interface TxnMessage {
  readonly compare?: readonly object[];
  readonly success: readonly OperationMessage[];
  readonly failure?: readonly OperationMessage[];
}

/** A string as base64 of its UTF-8. */
export const encode = (text: string) => Buffer.from(text).toString('base64');

/** The range of all keys from `from`, inclusive, to `end`, exclusive. */
export const range = (from: string, end: string) => ({ key: encode(from), range_end: encode(end) });

/** The end of the range of all keys with a prefix. */
export function prefixEnd(prefix: string): string {
  const last = prefix.charCodeAt(prefix.length - 1);
  return prefix.slice(0, -1) + String.fromCharCode(last + 1);
}

export const put = (key: string, value: string) => ({
  request_put: { key: encode(key), value: encode(value) },
});

/** Deletes a key, or all keys of a range. */
export const remove = (keys: string | ReturnType<typeof range>) => ({
  request_delete_range: typeof keys === 'string' ? { key: encode(keys) } : keys,
});

/** Reads the value of a key. */
export const get = (key: string) => ({ request_range: { key: encode(key) } });

const equals = (key: string, rest: object) => ({ key: encode(key), result: 'EQUAL', ...rest });

/** A comparison: a key has this value. */
export const hasValue = (key: string, value: string) =>
  equals(key, { target: 'VALUE', value: encode(value) });

/** A comparison: the last write of a key was in this revision; 0 for a key that does not exist. */
export const isUnchanged = (key: string, modRevision: number) =>
  equals(key, { target: 'MOD', mod_revision: String(modRevision) });

/** A comparison: a key exists. */
export const exists = (key: string) => ({ ...isUnchanged(key, 0), result: 'GREATER' });

/** Parses JSON. @throws EtcdError if it is not valid */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw expected('JSON');
  }
}

/** Reads a body as text. */
export async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** Creates a function that reads a body as JSON. @throws EtcdError */
export function jsonReader<T>(parse: (json: unknown) => T) {
  return async (body: AsyncIterable<Uint8Array>) => parse(parseJson(await readText(body)));
}

/** A key and its value. */
export interface KeyValue {
  readonly key: string;
  readonly value: string;
  /** The cluster revision of its last write. */
  readonly modRevision: number;
  /** The number of writes since its creation. */
  readonly version: number;
}

/** A key that was written; its value is undefined if it was deleted. */
export type KeyChange = Omit<KeyValue, 'value'> & { readonly value: string | undefined };

/** Reads the keys of a range, and whether it has more. @throws EtcdError for another shape */
export function rangeAnswer(json: unknown) {
  const { header, kvs, more } = membersOf(json);
  return { revision: revisionOf(header), found: listOf(kvs, keyValue), hasMore: more === true };
}

/**
 * Reads whether a transaction has succeeded, and the key that each executed operation has read;
 * undefined for a write, or if there is no such key. @throws EtcdError for another shape
 */
export function txnAnswer({ success, failure = [] }: TxnMessage, json: unknown) {
  const { header, succeeded = false, responses } = membersOf(json);
  const revision = revisionOf(header);
  if (typeof succeeded !== 'boolean') throw expected('a boolean');
  const operations = succeeded ? success : failure;
  const all = listOf(responses, membersOf);
  if (all.length !== operations.length) throw expected(`${operations.length} responses`);
  const found = operations.map((operation, index) => {
    if (!('request_range' in operation)) return undefined;
    return listOf(membersOf(all[index]?.response_range).kvs, keyValue)[0];
  });
  return { succeeded, found, revision };
}

/** The token of a login. @throws EtcdError for another shape */
export function loginAnswer(json: unknown): string {
  return stringOf(membersOf(json).token);
}

/**
 * Reads a message of a watch: its events, and whether it confirms that the watch is created.
 * @param redact removes secrets from a text
 * @throws EtcdError if it ends the watch or has another shape
 */
export function watchAnswer(json: unknown, redact: (text: string) => string) {
  const { result, error } = membersOf(json);
  // Without a result, the gateway reports an error, which ends the watch too.
  const { created, canceled, cancel_reason, events } = membersOf(result ?? { canceled: true });
  // Thrown, because the stream would stay open without events.
  if (canceled === true) {
    const reason = cancel_reason ?? JSON.stringify(error) ?? 'its start is compacted';
    throw new EtcdError('rejected', `etcd ended the watch: ${redact(String(reason))}`);
  }
  return {
    isCreated: created === true,
    events: listOf(events, (event): KeyChange => {
      const { kv, type } = membersOf(event);
      return type === 'DELETE' ? { ...keyValue(kv), value: undefined } : keyValue(kv);
    }),
  };
}

function keyValue(json: unknown): KeyValue {
  const { key, value, mod_revision, version } = membersOf(json);
  return {
    key: decode(key),
    value: value === undefined ? '' : decode(value),
    modRevision: numberOf(mod_revision),
    version: version === undefined ? 0 : numberOf(version),
  };
}

function decode(json: unknown): string {
  return Buffer.from(stringOf(json), 'base64').toString();
}

/** Every answer has a header with the revision. */
function revisionOf(header: unknown): number {
  return numberOf(membersOf(header).revision);
}

function membersOf(json: unknown): JsonObject {
  if (!isJsonObject(json)) throw expected('an object');
  return json;
}

function listOf<T>(json: unknown, itemOf: (json: unknown) => T): readonly T[] {
  if (json === undefined) return [];
  if (!Array.isArray(json)) throw expected('a list');
  return json.map(itemOf);
}

function stringOf(json: unknown): string {
  if (typeof json !== 'string') throw expected('a string');
  return json;
}

function numberOf(json: unknown): number {
  if (typeof json !== 'string' || !/^\d+$/.test(json)) throw expected('a number');
  return Number(json);
}

/** The message omits the content, because that may repeat a secret of the request. */
function expected(shape: string): EtcdError {
  return new EtcdError('unknown', `the response is not from etcd: expected ${shape}`);
}
