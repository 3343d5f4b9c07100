/*
 * The JSON of etcd's gateway: keys and values in base64, 64-bit integers as texts; members that are
 * zero, false or empty are omitted (https://etcd.io/docs/latest/dev-guide/api_grpc_gateway/).
 */

/** An operation of a transaction, as sent. */
export type OperationMessage = ReturnType<typeof put | typeof remove | typeof get>;

/** A transaction, as sent. */
export interface TxnMessage {
  readonly compare?: readonly object[];
  readonly success: readonly OperationMessage[];
  readonly failure?: readonly OperationMessage[];
}

/** Returns a text as base64 of its UTF-8. */
export function encode(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}

/** Returns the text of base64 of its UTF-8. */
export function decode(text: string): string {
  return Buffer.from(text, 'base64').toString('utf8');
}

/** The end of the range of all keys with a prefix. */
export function prefixEnd(prefix: string): string {
  const last = prefix.charCodeAt(prefix.length - 1);
  return prefix.slice(0, -1) + String.fromCharCode(last + 1);
}

/** Stores a value. */
export const put = (key: string, value: string) => ({
  request_put: { key: encode(key), value: encode(value) },
});

/** @param end deletes all keys from `key` to this one, exclusive */
export const remove = (key: string, end?: string) => ({
  request_delete_range: { key: encode(key), ...(end !== undefined && { range_end: encode(end) }) },
});

/** Reads the value of a key. */
export const get = (key: string) => ({ request_range: { key: encode(key) } });

/** True if a key has this value. */
export const hasValue = (key: string, value: string) => ({
  key: encode(key),
  target: 'VALUE',
  result: 'EQUAL',
  value: encode(value),
});

/** True if the last write of a key was in this revision; 0 means that the key does not exist. */
export const isUnchanged = (key: string, modRevision: number) => ({
  key: encode(key),
  target: 'MOD',
  result: 'EQUAL',
  mod_revision: String(modRevision),
});

/** True if there is a key. */
export const exists = (key: string) => ({ ...isUnchanged(key, 0), result: 'GREATER' });
