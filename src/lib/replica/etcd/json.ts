import { isJsonObject, type JsonObject } from '../../json/index.ts';
import { EtcdError, GapError } from '../errors.ts';

/*
 * The JSON of etcd's gateway: keys and values in base64, 64-bit integers as texts; members that are
 * zero, false or empty are omitted (https://etcd.io/docs/latest/dev-guide/api_grpc_gateway/).
 * Proxies answer, too, and with anything: only what has the shape of etcd's own answers counts.
 */

/** An operation of a transaction, as sent. */
export type OperationMessage = ReturnType<typeof put | typeof remove | typeof get>;

/** A transaction, as sent. */
export interface TxnMessage {
  readonly compare?: readonly object[];
  readonly success: readonly OperationMessage[];
  readonly failure?: readonly OperationMessage[];
}

/** A text as base64 of its UTF-8. */
export const encode = (text: string) => Buffer.from(text).toString('base64');

/** All keys from one to another, which is not among them. */
export const range = (from: string, end: string) => ({ key: encode(from), range_end: encode(end) });

/** The end of the range of all keys with a prefix. */
export function prefixEnd(prefix: string): string {
  const last = prefix.charCodeAt(prefix.length - 1);
  return prefix.slice(0, -1) + String.fromCharCode(last + 1);
}

/** Stores a value. */
export const put = (key: string, value: string) => ({
  request_put: { key: encode(key), value: encode(value) },
});

/** Deletes a key, or all keys of a range. */
export const remove = (keys: string | ReturnType<typeof range>) => ({
  request_delete_range: typeof keys === 'string' ? { key: encode(keys) } : keys,
});

/** Reads the value of a key. */
export const get = (key: string) => ({ request_range: { key: encode(key) } });

const equals = (key: string, what: object) => ({ key: encode(key), result: 'EQUAL', ...what });

/** True if a key has this value. */
export const hasValue = (key: string, value: string) =>
  equals(key, { target: 'VALUE', value: encode(value) });

/** True if the last write of a key was in this revision; 0 means that the key does not exist. */
export const isUnchanged = (key: string, modRevision: number) =>
  equals(key, { target: 'MOD', mod_revision: String(modRevision) });

/** True if there is a key. */
export const exists = (key: string) => ({ ...isUnchanged(key, 0), result: 'GREATER' });

/** The longest answer. A page of rows has up to 9 MiB, and what only later versions know. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** @throws EtcdError if an answer, or a message of a watch, is longer than any of etcd's */
export function checkLength(bytes: number): void {
  if (bytes > MAX_ANSWER_BYTES) throw notEtcd('it is too long');
}

/** Parses JSON. @throws EtcdError if it is none */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw expected('JSON', text);
  }
}

/** Reads a body as text. @throws EtcdError if it is too long */
export async function bodyOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    checkLength(bytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Makes what reads a body as JSON. @throws EtcdError */
export function jsonOf<T>(parse: (json: unknown) => T) {
  return async (body: AsyncIterable<Uint8Array>) => parse(parseJson(await bodyOf(body)));
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

/** What a write has made of a key: a value, or undefined if it was deleted. */
export type KeyChange = Omit<KeyValue, 'value'> & { readonly value: string | undefined };

/** Reads what a range of keys has, and whether it has more. @throws EtcdError if not etcd's */
export function rangeAnswer(json: unknown) {
  const { header, kvs, more } = membersOf(json);
  return { revision: revisionOf(header), found: listOf(kvs, keyValue), hasMore: more === true };
}

/**
 * Reads whether a transaction has succeeded, and what each operation of the branch taken has found:
 * nothing if it writes. @throws EtcdError if it is not etcd's
 */
export function txnAnswer({ success, failure = [] }: TxnMessage, json: unknown) {
  const { header, succeeded, responses } = membersOf(json);
  revisionOf(header);
  if (succeeded !== undefined && succeeded !== true) throw expected('a boolean', succeeded);
  const operations = succeeded ? success : failure;
  const all = listOf(responses, membersOf);
  if (all.length !== operations.length) throw expected(`${operations.length} responses`, responses);
  const found = operations.map((operation, index) => {
    const [request = ''] = Object.keys(operation);
    const response = all[index]?.[request.replace('request', 'response')];
    return listOf(membersOf(response).kvs, keyValue)[0];
  });
  return { succeeded: succeeded ?? false, found };
}

/** The token of a login. @throws EtcdError if it is not etcd's */
export function loginAnswer(json: unknown): string {
  return textOf(membersOf(json).token);
}

/**
 * Reads a message of a watch: whether it says that the watch is created, and its events.
 * @throws EtcdError if it ends the watch or is not etcd's; GapError if its start is compacted
 */
export function watchAnswer(json: unknown) {
  const { result, error } = membersOf(json);
  if (result === undefined) {
    throw new EtcdError('unknown', `etcd ended the watch: ${JSON.stringify(error)}`);
  }
  const { created, canceled, cancel_reason = '', compact_revision, events } = membersOf(result);
  if (canceled === true) {
    // The stream would stay open, but silent.
    const message = `the watch was ended: ${cancel_reason}`;
    if (compact_revision !== undefined) throw new GapError('the start of the watch is compacted');
    const isForbidden = message.endsWith('permission denied');
    throw new EtcdError('rejected', message, isForbidden ? 'forbidden' : 'other');
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
  return Buffer.from(textOf(json), 'base64').toString();
}

/** Every answer has a header with the revision. */
function revisionOf(header: unknown): number {
  return numberOf(membersOf(header).revision);
}

function membersOf(json: unknown): JsonObject {
  if (!isJsonObject(json)) throw expected('an object', json);
  return json;
}

function listOf<T>(json: unknown, itemOf: (json: unknown) => T): readonly T[] {
  if (json === undefined) return [];
  if (!Array.isArray(json)) throw expected('a list', json);
  return json.map(itemOf);
}

function textOf(json: unknown): string {
  if (typeof json !== 'string') throw expected('a text', json);
  return json;
}

function numberOf(json: unknown): number {
  if (typeof json !== 'string' || !/^\d+$/.test(json)) throw expected('a number', json);
  return Number(json);
}

function expected(shape: string, json: unknown): EtcdError {
  return notEtcd(`${JSON.stringify(json)?.slice(0, 100)} is not ${shape}`);
}

function notEtcd(why: string): EtcdError {
  return new EtcdError('unknown', `this is not an answer from etcd: ${why}`);
}
