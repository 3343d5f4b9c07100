import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts } from '../../support/ports.ts';
import { decoded, type EventJson, Mvcc, type Operation } from './mvcc.ts';

/** The faults of a fake. Each applies until it is changed. */
export interface Faults {
  /** What happens to a transaction that writes: the request or its response may be lost. */
  txn: () => 'lose-answer' | 'lose-request' | 'full' | 'applied-but-full' | undefined;
  /** Transforms the events of one revision on their way to a watch. */
  events: (events: readonly EventJson[]) => readonly (readonly EventJson[])[];
  /** The delay of watches, in milliseconds. */
  watchDelayMs: number;
  /** Requests get no response. */
  isSilent: boolean;
  /** Only requests with this token are accepted. */
  token: string | undefined;
}

interface Watch {
  readonly output: ServerResponse;
  readonly key: string;
  readonly end: string;
}

/**
 * The part of etcd's JSON gateway that replicas use, over an in-process store, with everything that
 * can go wrong. It accepts watches that start in the future, as etcd does.
 */
export class FakeEtcd {
  readonly store = new Mvcc();
  readonly faults: Faults = {
    txn: () => undefined,
    events: (events) => [events],
    watchDelayMs: 0,
    isSilent: false,
    token: undefined,
  };
  /** The number of transactions that wrote something. */
  commits = 0;
  logins = 0;
  readonly #watches = new Set<Watch>();
  readonly #server: Server;
  #port = 0;

  constructor() {
    this.#server = createServer((request, response) => this.#serve(request, response));
  }

  async listen(): Promise<string> {
    if (this.#port === 0) [this.#port = 0] = await freePorts(1);
    await new Promise<void>((resolve) => this.#server.listen(this.#port, '127.0.0.1', resolve));
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Refuses connections until it listens again. */
  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /** Ends all watches, like the exit of a node. */
  breakWatches(): void {
    for (const { output } of this.#watches) output.destroy();
  }

  get watches(): number {
    return this.#watches.size;
  }

  async #serve(request: IncomingMessage, output: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    if (this.faults.isSilent) return;
    const { token } = this.faults;
    if (request.url === '/v3/auth/authenticate') {
      this.logins++;
      answer(output, 200, { token: token ?? '' });
    } else if (token !== undefined && request.headers.authorization !== token) {
      answer(output, 401, { error: 'x', message: 'etcdserver: invalid auth token', code: 16 });
    } else if (request.url === '/v3/kv/range') this.#range(body, output);
    else if (request.url === '/v3/kv/txn') this.#txn(body, output);
    else if (request.url === '/v3/kv/deleterange') {
      const remove = { key: decoded(body.key), end: body.range_end && decoded(body.range_end) };
      this.#write([{ remove }]);
      answer(output, 200, { header: this.#header });
    } else if (request.url === '/v3/watch') this.#watch(body.create_request, output);
    else answer(output, 404, 'Not Found');
  }

  get #header() {
    return { revision: String(this.store.revision) };
  }

  #rangeOf(body: { key: string; range_end?: string; limit?: string }, revision?: number) {
    const end = body.range_end && decoded(body.range_end);
    const all = this.store.range(decoded(body.key), end, revision);
    const kvs = body.limit ? all.slice(0, Number(body.limit)) : all;
    return {
      header: this.#header,
      ...(kvs.length > 0 && { kvs, count: String(all.length) }),
      ...(kvs.length < all.length && { more: true }),
    };
  }

  #range(
    body: { key: string; range_end?: string; limit?: string; revision?: string },
    output: ServerResponse,
  ): void {
    const revision = Number(body.revision ?? 0) || undefined;
    const isPast = revision !== undefined && revision < this.store.compacted;
    if (isPast || (revision ?? 0) > this.store.revision) {
      const message = `mvcc: required revision ${isPast ? 'has been compacted' : 'is a future one'}`;
      answer(output, 400, { error: message, message, code: 11 });
    } else answer(output, 200, this.#rangeOf(body, revision));
  }

  #txn(body: TxnJson, output: ServerResponse): void {
    const { compare = [], success = [], failure = [] } = body;
    const operations = success.flatMap(operationOf);
    const fault = operations.length > 0 ? this.faults.txn() : undefined;
    const exhausted = { error: 'x', message: 'etcdserver: mvcc: database space exceeded', code: 8 };
    if (fault === 'lose-request') {
      output.destroy();
      return;
    }
    if (fault === 'full') {
      answer(output, 429, exhausted);
      return;
    }
    const succeeded = compare.every(({ key, mod_revision, value }) => {
      const stored = this.store.get(decoded(key));
      if (value !== undefined) return stored?.value === value;
      return (stored?.mod_revision ?? '0') === mod_revision;
    });
    if (succeeded) this.#write(operations);
    const branch = succeeded ? success : failure;
    const responses = branch.map(({ request_range: range }) =>
      range ? { response_range: this.#rangeOf(range) } : {},
    );
    if (fault === 'applied-but-full') answer(output, 429, exhausted);
    else if (fault === 'lose-answer') output.destroy();
    else answer(output, 200, { header: this.#header, ...(succeeded && { succeeded }), responses });
  }

  #write(operations: readonly Operation[]): void {
    const events = this.store.apply(operations);
    if (events.length === 0) return;
    this.commits++;
    for (const watch of this.#watches) this.#send(watch, events);
  }

  #watch(
    { key, range_end, start_revision }: { key: string; range_end: string; start_revision: string },
    output: ServerResponse,
  ): void {
    output.writeHead(200, { 'Content-Type': 'application/json' });
    output.write(line({ result: { header: this.#header, created: true } }));
    const from = Number(start_revision);
    if (from < this.store.compacted) {
      const compact_revision = String(this.store.compacted);
      output.write(line({ result: { header: this.#header, canceled: true, compact_revision } }));
      return;
    }
    const watch = { output, key: decoded(key), end: decoded(range_end) };
    for (const events of this.store.since(from)) this.#send(watch, events);
    this.#watches.add(watch);
    output.on('close', () => this.#watches.delete(watch));
  }

  async #send({ output, key, end }: Watch, all: readonly EventJson[]): Promise<void> {
    const events = all.filter(({ kv }) => decoded(kv.key) >= key && decoded(kv.key) < end);
    if (events.length === 0) return;
    const { watchDelayMs } = this.faults;
    if (watchDelayMs > 0) await sleep(watchDelayMs);
    for (const part of this.faults.events(events)) {
      output.write(line({ result: { header: this.#header, events: part } }));
    }
  }
}

interface TxnJson {
  readonly compare?: readonly CompareJson[];
  readonly success?: readonly OperationJson[];
  readonly failure?: readonly OperationJson[];
}

interface CompareJson {
  readonly key: string;
  readonly mod_revision?: string;
  readonly value?: string;
}

interface OperationJson {
  readonly request_put?: { readonly key: string; readonly value: string };
  readonly request_delete_range?: { readonly key: string };
  readonly request_range?: { readonly key: string };
}

function operationOf({ request_put, request_delete_range }: OperationJson): Operation[] {
  if (request_put) {
    return [{ put: { key: decoded(request_put.key), value: decoded(request_put.value) } }];
  }
  return request_delete_range
    ? [{ remove: { key: decoded(request_delete_range.key), end: undefined } }]
    : [];
}

function line(message: object): string {
  return `${JSON.stringify(message)}\n`;
}

function answer(output: ServerResponse, status: number, body: unknown): void {
  output.statusCode = status;
  output.end(typeof body === 'string' ? body : JSON.stringify(body));
}
