/*
 * The JSON of etcd's gateway: keys and values in base64, 64-bit integers as texts; members that are
 * zero, false or empty are omitted (https://etcd.io/docs/latest/dev-guide/api_grpc_gateway/).
 */

/** A key and its value, as sent. */
export interface KeyValueMessage {
  readonly key: string;
  readonly value?: string;
  readonly create_revision?: string;
  readonly mod_revision?: string;
  readonly version?: string;
}

interface Header {
  readonly revision?: string;
}

export interface RangeMessage {
  readonly header: Header;
  readonly kvs?: readonly KeyValueMessage[];
  readonly more?: boolean;
}

export interface TxnMessage {
  readonly header: Header;
  readonly succeeded?: boolean;
  readonly responses?: readonly { readonly response_range?: RangeMessage }[];
}

export interface WatchMessage {
  readonly result?: {
    readonly created?: boolean;
    readonly canceled?: boolean;
    readonly compact_revision?: string;
    readonly cancel_reason?: string;
    readonly events?: readonly { readonly type?: 'DELETE'; readonly kv: KeyValueMessage }[];
  };
  readonly error?: unknown;
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

/** A key and its value, read from a message. */
export function keyValueOf({ key, value, mod_revision, version }: KeyValueMessage): KeyValue {
  return {
    key: decode(key),
    value: value === undefined ? '' : decode(value),
    modRevision: Number(mod_revision ?? 0),
    version: Number(version ?? 0),
  };
}

export function encode(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}

function decode(text: string): string {
  return Buffer.from(text, 'base64').toString('utf8');
}

/** The end of the range of all keys with a prefix. */
export function prefixEnd(prefix: string): string {
  const last = prefix.charCodeAt(prefix.length - 1);
  return prefix.slice(0, -1) + String.fromCharCode(last + 1);
}

/** The operations and comparisons of a transaction, as sent. */
export const put = (key: string, value: string) => ({
  request_put: { key: encode(key), value: encode(value) },
});

export const remove = (key: string) => ({ request_delete_range: { key: encode(key) } });

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
