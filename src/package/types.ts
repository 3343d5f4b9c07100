import type { Fault } from '../service/features/admin/fault.ts';
import type { JournalEntry } from '../service/features/admin/journal-entry.ts';
import type { SeedItem, VariantName } from './variant-types.ts';

export type { Fault, JournalEntry, SeedItem, VariantName };

/** The options of a service; all of them may be left out. */
export interface TodoServiceOptions {
  /** The shape of the items; `a` by default. */
  readonly variant?: VariantName;
  /** The port to listen on; a free one by default. */
  readonly port?: number;
  /** The items to start with, and to reset to: create requests. */
  readonly seed?: readonly SeedItem[];
  /**
   * Settings by the names of their environment variables, such as `{ MAX_ROWS: '10' }`. The
   * process's own environment does not count. Not here: `TZ`, which belongs to the process; `PORT`,
   * which is `port`; and `SEED_FILE` beside `seed`.
   */
  readonly env?: Readonly<Record<string, string>>;
}

/** A running service. */
export interface TodoService {
  /** Its base URL, such as `http://127.0.0.1:40123`. */
  readonly url: string;
  /**
   * Puts everything back to the beginning: the items are those of the seed, or those given; ids
   * start again; there are no faults and no requests in the journal.
   */
  reset(seed?: readonly SeedItem[]): Promise<void>;
  /** Sets what goes wrong, in place of what did before. Throws if a fault is not valid. */
  faults(faults: readonly Fault[]): void;
  /** The last requests, oldest first: up to 1,000 or 1 MiB of them. */
  requests(): readonly JournalEntry[];
  /** Ends all event streams, so that reconnecting can be tested. */
  cutStreams(): void;
  /** Finishes the requests in flight, then stops. Stopping again does nothing. */
  stop(): Promise<void>;
}

/**
 * Starts a service in this process. It prints nothing and sets no signal handlers.
 * @returns a promise, rejected if an option is invalid or the port cannot be bound
 * @example
 * const service = await startTodoService({ seed: [{ title: 'Buy milk' }] });
 * const todos = await (await fetch(`${service.url}/api/todos`)).json();
 * await service.stop();
 */
export type StartTodoService = (options?: TodoServiceOptions) => Promise<TodoService>;
