import { isJsonObject, type JsonObject, jsonObjectIn } from '../../../lib/json/index.ts';
import { GapError } from '../errors.ts';
import { EtcdError } from './etcd-error.ts';

/*
 * The messages of etcd's JSON gateway (https://etcd.io/docs/latest/dev-guide/api_grpc_gateway/): keys
 * and values in base64, 64-bit integers as strings; members that are zero, false or empty are
 * omitted. A proxy may answer instead of etcd, with any content. An answer of etcd has a header.
 */

/** A transaction, as sent. */
export interface TxnMessage {
  readonly compare: readonly object[];
  readonly success: readonly object[];
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

/** A comparison: a key has this value. */
export const hasValue = (key: string, value: string) => ({
  ...{ key: encode(key), target: 'VALUE', result: 'EQUAL', value: encode(value) },
});

const hasRevision = (key: string, result: string) => ({
  ...{ key: encode(key), target: 'MOD', result, mod_revision: '0' },
});

/** A comparison: a key exists. */
export const exists = (key: string) => hasRevision(key, 'GREATER');

/** A comparison: a key does not exist. */
export const isAbsent = (key: string) => hasRevision(key, 'EQUAL');

/** A key with its value, or a key that was deleted, whose value is undefined. */
export interface KeyValue {
  readonly key: string;
  readonly value: string | undefined;
  /** The revision of its last write. */
  readonly revision: number;
}

/** The members of an answer. @throws EtcdError if the text is not a JSON object */
export function parseAnswer(text: string): JsonObject {
  const json = jsonObjectIn(text);
  if (json === undefined) throw notFromEtcd();
  return json;
}

/**
 * Reads the header, which every successful answer of etcd has.
 * @returns etcd's revision, and the id of its cluster in hexadecimal digits, as etcd logs it
 * @throws EtcdError for another shape
 */
export function headerOf({ header }: JsonObject) {
  const { revision, cluster_id } = membersOf(header);
  return { revision: numberOf(revision), cluster: BigInt(digitsOf(cluster_id)).toString(16) };
}

/** Reads the keys of a range, and whether it has more. @throws EtcdError for another shape */
export function rangeAnswer(answer: JsonObject) {
  const { kvs, more } = answer;
  const { revision } = headerOf(answer);
  return { revision, found: listOf(kvs, keyValue), hasMore: more === true };
}

/**
 * Reads whether the comparisons of a transaction held. If so, the answer has a response for each
 * operation. @throws EtcdError for another shape
 */
export function txnAnswer({ success }: TxnMessage, answer: JsonObject) {
  const { succeeded = false, responses } = answer;
  const count = succeeded === true ? success.length : 0;
  if (listOf(responses, membersOf).length !== count) throw notFromEtcd();
  return { revision: headerOf(answer).revision, succeeded: succeeded === true };
}

/** The token of a login. @throws EtcdError for another shape */
export function loginAnswer({ token }: JsonObject): string {
  return stringOf(token);
}

/**
 * Reads a message of a watch: its events, and whether it confirms that the watch is created.
 * @throws EtcdError if it ends the watch or has another shape; GapError if its start is compacted
 */
export function watchAnswer({ result, error }: JsonObject) {
  // The gateway reports an error without a result, and it ends the watch too.
  if (error !== undefined) throw endOfWatch(membersOf(error).message);
  const message = membersOf(result);
  const { created, canceled, cancel_reason, compact_revision, events } = message;
  if (compact_revision !== undefined) throw new GapError('the start of the watch is compacted');
  // Thrown, because the stream would stay open without events.
  if (canceled === true) throw endOfWatch(cancel_reason);
  return {
    cluster: headerOf(message).cluster,
    isCreated: created === true,
    events: listOf(events, (event): KeyValue => {
      const { kv, type } = membersOf(event);
      return type === 'DELETE' ? { ...keyValue(kv), value: undefined } : keyValue(kv);
    }),
  };
}

function endOfWatch(reason: unknown): EtcdError {
  return new EtcdError('unknown', `etcd ended the watch: ${reason}`);
}

function keyValue(json: unknown): KeyValue {
  const { key, value = '', mod_revision } = membersOf(json);
  return { key: decode(key), value: decode(value), revision: numberOf(mod_revision) };
}

function decode(json: unknown): string {
  return Buffer.from(stringOf(json), 'base64').toString();
}

function membersOf(json: unknown): JsonObject {
  if (!isJsonObject(json)) throw notFromEtcd();
  return json;
}

function listOf<T>(json: unknown, itemOf: (json: unknown) => T): readonly T[] {
  if (json === undefined) return [];
  if (!Array.isArray(json)) throw notFromEtcd();
  return json.map(itemOf);
}

function stringOf(json: unknown): string {
  if (typeof json !== 'string') throw notFromEtcd();
  return json;
}

function digitsOf(json: unknown): string {
  const text = stringOf(json);
  if (!/^\d+$/.test(text)) throw notFromEtcd();
  return text;
}

function numberOf(json: unknown): number {
  return Number(digitsOf(json));
}

/** The message omits the content, because that may repeat a secret of the request. */
function notFromEtcd(): EtcdError {
  return new EtcdError('unknown', 'the answer is not from etcd');
}
