import type { Fault, ListedFault } from '../service/faults/fault.ts';
import type { JournalEntry, JournalFilter } from '../service/journal/journal-entry.ts';
import type { SeedItem, VariantName } from './variant-types.ts';

export type { Fault, JournalEntry, JournalFilter, ListedFault, SeedItem, VariantName };

/**
 * An array of create requests, or an object with one such array, or with several, of which one has
 * the name of the collection.
 */
export type Seed<Item = SeedItem> =
  | readonly Item[]
  | Readonly<Record<string, unknown>>
  // An object of an interface type has no index signature.
  | (object & { readonly length?: never });

/** The options of any service, all of them optional. */
interface ServiceOptions<Item> {
  /** The port to listen on; a free one by default. */
  readonly port?: number | undefined;
  /** The items to start with, and to reset to. */
  readonly seed?: Seed<Item> | undefined;
  /**
   * Settings by the names of their environment variables, such as `{ MAX_ROWS: '10' }`. The
   * environment of the process does not count. `TZ`, which belongs to the process, `PORT`, which
   * is `port`, `EXIT_WITH_STDIN`, and `SEED_FILE` beside `seed` are not allowed.
   */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/** The options of a service of to-dos, all of them optional. */
export interface TodoServiceOptions extends ServiceOptions<SeedItem> {
  /** The shape of the items; `a` by default. */
  readonly variant?: VariantName | undefined;
  readonly resource?: undefined;
}

/** A type that is not inferred from a value: without a type argument, it is the default. */
type NotInferred<T> = [T][T extends unknown ? 0 : never];

/** The options of a service of another resource. */
export interface ResourceOptions<Item> extends ServiceOptions<NotInferred<Item>> {
  /**
   * A JSON Schema of the items, or the path of a JSON file that has one, such as
   * `api.json#/components/schemas/Note`.
   */
  readonly resource: string | object;
  readonly variant?: undefined;
}

/** A rule that an argument violates. */
export interface Violation {
  /** The mount in the argument: a JSON pointer (RFC 6901) as a URI fragment. */
  readonly pointer: string;
  /** The rule; it is stable. */
  readonly code: string;
  /** The rule in words, for people. */
  readonly detail: string;
}

/** An argument that is invalid. The message has the first ten violations, in one line. */
export declare class InvalidInputError extends Error {
  override readonly name: 'InvalidInputError';
  /** All violations, at most 1,000. */
  readonly violations: readonly Violation[];
}

/** How many requests to wait for, and how long. */
export interface WaitOptions {
  /** 1 by default, at most 1,000. */
  readonly count?: number | undefined;
  /** In milliseconds; 5,000 by default. */
  readonly timeoutMs?: number | undefined;
}

/**
 * A list of a running service. All objects given to it are copied at the call. An invalid argument
 * rejects with an {@link InvalidInputError}. After `stop()`, all methods but `stop()` fail.
 */
export interface ItemList<Item = SeedItem> extends AsyncDisposable {
  /** Its base URL, such as `http://127.0.0.1:40123/lists/anna`. */
  readonly url: string;
  /**
   * Puts another list in place of this one, with the seed of the service, or with `seed`. Ids
   * start again, the journal is empty, and the faults are those of `FAULTS`. Requests that are under
   * way go on with the previous list, which nobody sees any more.
   */
  reset(seed?: Seed<Item>): Promise<void>;
  /**
   * Replaces the faults, and ends the delays of the previous ones. Without a list, it changes
   * nothing.
   * @returns the current faults, with their hits
   */
  faults(faults?: readonly Fault[]): Promise<readonly ListedFault[]>;
  /** The last requests, oldest first: up to 1,000 or 1 MiB of them. */
  requests(filter?: JournalFilter): Promise<readonly JournalEntry[]>;
  /**
   * Waits until `count` requests match.
   * @returns the requests that match; rejected when the time is up, at a reset and at a stop
   */
  waitForRequests(filter?: JournalFilter, options?: WaitOptions): Promise<readonly JournalEntry[]>;
  /** Ends all event streams, so that reconnecting can be tested. */
  cutStreams(): void;
  /** Removes the list, and ends its streams, delays and waits. Stopping again does nothing. */
  stop(): Promise<void>;
  /** Stops, at the end of the scope of `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** A running service, with its list at the base URL, such as `http://127.0.0.1:40123`. */
export interface TodoService<Item = SeedItem> extends ItemList<Item> {
  /**
   * Creates a list of its own, for a test or a worker. All paths of the service exist once more
   * below its URL.
   * @param name 1 to 64 letters, digits and any of `._~-`, which no other list has
   * @param seed its items; by default, those of the service
   */
  list(name: string, seed?: Seed<Item>): Promise<ItemList<Item>>;
  /** Finishes the requests in flight, for up to a second, then stops. Stopping again does nothing. */
  stop(): Promise<void>;
}

/**
 * Starts a service in this process. It prints nothing and sets no signal handlers.
 * @returns a promise, rejected with an {@link InvalidInputError} if an option or the host is invalid,
 * with the error of the system if the port cannot be bound
 * @example
 * const service = await startTodoService({ seed: [{ title: 'Buy milk' }] });
 * const todos = await (await fetch(`${service.url}/api/todos`)).json();
 * await service.stop();
 */
export interface StartTodoService {
  /** With a resource of one's own. `Item` is the type of a create request. */
  <Item extends object = object>(options: ResourceOptions<Item>): Promise<TodoService<Item>>;
  (options?: TodoServiceOptions): Promise<TodoService>;
}
