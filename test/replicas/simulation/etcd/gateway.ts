import { decoded, type EventJson, Store, type StoredEvent, type Write } from './store.ts';

/** A response of the gateway. */
export interface Reply {
  readonly status: number;
  readonly body: string;
}

/** A watch that is open. */
interface Watch {
  readonly key: string;
  readonly end: string;
  readonly send: (line: string) => void;
}

interface RangeJson {
  readonly key: string;
  readonly range_end?: string;
  readonly limit?: string | number;
  readonly revision?: string;
}

interface OperationJson {
  readonly request_put?: { readonly key: string; readonly value?: string };
  readonly request_delete_range?: { readonly key: string; readonly range_end?: string };
}

interface CompareJson {
  readonly key: string;
  readonly target: 'MOD' | 'VALUE';
  readonly result: 'EQUAL' | 'GREATER';
  readonly mod_revision?: string;
  readonly value?: string;
}

interface TxnJson {
  readonly compare?: readonly CompareJson[];
  readonly success?: readonly OperationJson[];
}

/** etcd's limit of operations in a transaction. */
const MAX_OPERATIONS = 128;

/** etcd's limit of a request, in bytes. */
const MAX_REQUEST_BYTES = 1.5 * 1024 * 1024;

/** An error of etcd, as its gateway answers it. */
class Refusal extends Error {
  readonly status: number;
  readonly code: number;

  constructor(status: number, code: number, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/**
 * The part of etcd's JSON gateway that replicas use, over a store in memory. The tests of replicas
 * on etcd compare it with etcd itself.
 */
export class SimulatedEtcd {
  readonly store = new Store();
  /** The id of the cluster, as the gateway sends it. */
  readonly cluster: string;
  /** Whether etcd accepts only deletions. */
  isFull = false;
  /** Whether the user lacks the permission to read and write. */
  deniesPermission = false;
  /** The password of the user; undefined while authentication is off. */
  password: string | undefined;
  /** The token that is valid now. */
  token = 'first';
  logins = 0;
  /** Called with each revision and its events. */
  onWrite: (events: readonly StoredEvent[]) => void = () => {};
  /** Changes the messages by which a watch gets the events of a revision. */
  split: (events: readonly EventJson[]) => readonly (readonly EventJson[])[] = (events) => [events];
  readonly #watches = new Set<Watch>();

  constructor(cluster = '14841639068965178418') {
    this.cluster = cluster;
  }

  /** Answers a request other than a watch. */
  handle(path: string, body: string, token?: string): Reply {
    return orRefusal(() => {
      const json = JSON.parse(body);
      if (path === '/v3/auth/authenticate') return ok(this.#logIn(json));
      this.#authorize(token);
      return ok(path === '/v3/kv/range' ? this.#range(json) : this.#txn(json, body.length));
    });
  }

  /**
   * Opens a watch.
   * @param send gets each line of the response
   * @returns a function that ends the watch, or the response if it was refused
   */
  watch(body: string, send: (line: string) => void, token?: string): (() => void) | Reply {
    return orRefusal(() => {
      this.#authorize(token);
      const { create_request: request } = JSON.parse(body);
      const from = Number(request.start_revision);
      const { header } = this;
      send(line({ header, created: true }));
      if (from < this.store.compacted) {
        send(line({ header, canceled: true, compact_revision: String(this.store.compacted) }));
        return () => {};
      }
      const watch = { key: decoded(request.key), end: decoded(request.range_end), send };
      for (const events of this.store.since(from)) this.#send(watch, events);
      this.#watches.add(watch);
      return () => this.#watches.delete(watch);
    });
  }

  /** Applies writes, as another client of the same etcd does. */
  write(writes: readonly Write[]): void {
    const events = this.store.apply(writes);
    if (events.length === 0) return;
    this.onWrite(events);
    for (const watch of this.#watches) this.#send(watch, events);
  }

  get header() {
    return { cluster_id: this.cluster, revision: String(this.store.revision) };
  }

  #send(watch: Watch, all: readonly StoredEvent[]): void {
    const events = all.filter(({ key }) => key >= watch.key && key < watch.end);
    if (events.length === 0) return;
    const parts = this.split(events.map(({ json }) => json));
    for (const [index, part] of parts.entries()) {
      const fragment = index < parts.length - 1 && { fragment: true };
      watch.send(line({ header: this.header, ...fragment, events: part }));
    }
  }

  #logIn({ password }: { readonly password: string }) {
    this.logins++;
    if (this.password === undefined) {
      throw new Refusal(412, 9, 'etcdserver: authentication is not enabled');
    }
    if (password !== this.password) {
      const message = 'etcdserver: authentication failed, invalid user ID or password';
      throw new Refusal(400, 3, message);
    }
    return { header: this.header, token: this.token };
  }

  #authorize(token: string | undefined): void {
    if (this.password !== undefined && !token) {
      throw new Refusal(400, 3, 'etcdserver: user name is empty');
    }
    if (token && (this.password === undefined || token !== this.token)) {
      throw new Refusal(401, 16, 'etcdserver: invalid auth token');
    }
    if (this.deniesPermission) throw new Refusal(403, 7, 'etcdserver: permission denied');
  }

  #range({ key, range_end, limit = 0, revision = '0' }: RangeJson) {
    const at = Number(revision) || this.store.revision;
    if (at > this.store.revision) {
      throw new Refusal(400, 11, 'etcdserver: mvcc: required revision is a future revision');
    }
    if (at < this.store.compacted) {
      throw new Refusal(400, 11, 'etcdserver: mvcc: required revision has been compacted');
    }
    const from = decoded(key);
    const keys = range_end
      ? this.store.keys(from, decoded(range_end), at)
      : [from].filter((each) => this.store.get(each, at) !== undefined);
    const page = Number(limit) > 0 ? keys.slice(0, Number(limit)) : keys;
    const kvs = page.flatMap((each) => this.store.get(each, at) ?? []);
    return {
      header: this.header,
      ...(kvs.length > 0 && { kvs }),
      ...(page.length < keys.length && { more: true }),
      ...(keys.length > 0 && { count: String(keys.length) }),
    };
  }

  #txn({ compare = [], success = [] }: TxnJson, bytes: number) {
    if (Math.max(compare.length, success.length) > MAX_OPERATIONS) {
      throw new Refusal(400, 3, 'etcdserver: too many operations in txn request');
    }
    const puts = success.flatMap(({ request_put: put }) => put?.key ?? []);
    if (new Set(puts).size < puts.length) {
      throw new Refusal(400, 3, 'etcdserver: duplicate key given in txn request');
    }
    // In the gateway's JSON, keys and values take a third more than in etcd.
    if (bytes * 0.75 > MAX_REQUEST_BYTES) {
      throw new Refusal(400, 3, 'etcdserver: request is too large');
    }
    if (this.isFull && puts.length > 0) {
      throw new Refusal(429, 8, 'etcdserver: mvcc: database space exceeded');
    }
    const succeeded = compare.every((each) => this.#holds(each));
    const operations = succeeded ? success : [];
    this.write(operations.flatMap(writeOf));
    const header = { revision: String(this.store.revision) };
    const responses = operations.map(({ request_put: put }) =>
      put ? { response_put: { header } } : { response_delete_range: { header } },
    );
    return {
      header: this.header,
      ...(succeeded && { succeeded }),
      ...(responses.length > 0 && { responses }),
    };
  }

  #holds({ key, target, result, ...expected }: CompareJson): boolean {
    const stored = this.store.get(decoded(key));
    // A key that does not exist has no value, so no comparison with its value holds.
    if (target === 'VALUE' && stored === undefined) return false;
    const order =
      target === 'VALUE'
        ? Buffer.compare(
            Buffer.from(stored?.value ?? '', 'base64'),
            Buffer.from(expected.value ?? '', 'base64'),
          )
        : Number(stored?.mod_revision ?? 0) - Number(expected.mod_revision ?? 0);
    return result === 'EQUAL' ? order === 0 : order > 0;
  }
}

function writeOf({ request_put, request_delete_range }: OperationJson): readonly Write[] {
  if (request_put) {
    return [{ put: decoded(request_put.key), value: decoded(request_put.value ?? '') }];
  }
  if (request_delete_range === undefined) return [];
  const { key, range_end } = request_delete_range;
  return [{ remove: decoded(key), end: range_end && decoded(range_end) }];
}

/** Returns the result of work, or the response if it was refused. */
function orRefusal<T>(work: () => T): T | Reply {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { status: error.status, body: bodyOf(error) };
  }
}

function ok(json: object): Reply {
  return { status: 200, body: JSON.stringify(json) };
}

/** The body of an error. */
export function bodyOf({ message, code }: { message: string; code: number }): string {
  return JSON.stringify({ error: message, message, code });
}

function line(result: object): string {
  return `${JSON.stringify({ result })}\n`;
}
