/** What a service is started with; everything may be left out. */
export interface TodoServiceOptions {
  /** The form of the items: `a` (32-bit ids, the default) or `b` (64-bit ids, `createdAt`). */
  readonly variant?: 'a' | 'b';
  /** The port to listen on; any free one unless it is given. */
  readonly port?: number;
  /** The items that there are at first, and after a reset: create requests. */
  readonly seed?: readonly SeedItem[];
  /**
   * Settings by the names of their environment variables, such as `{ MAX_ROWS: '10' }`. Those of
   * the process itself do not count, and `TZ` is always that of the process.
   */
  readonly env?: Readonly<Record<string, string>>;
}

/** A create request, which may say as well whether the item is completed. */
export interface SeedItem {
  readonly title: string;
  readonly description?: string | null;
  readonly priority?: number;
  readonly completed?: boolean;
}

/** A service that is running. */
export interface TodoService {
  /** Where it listens, such as `http://127.0.0.1:40123`. */
  readonly url: string;
  /** Puts everything back to the seed; ids start anew. */
  reset(): Promise<void>;
  /** Answers what is in flight, and ends. To stop it again changes nothing. */
  stop(): Promise<void>;
}

/**
 * Starts a service in this process. It is silent, and sets no signal handlers.
 * @returns a promise that is rejected where an option cannot be used or the port cannot be had
 * @example
 * const service = await startTodoService({ seed: [{ title: 'Buy milk' }] });
 * const todos = await (await fetch(`${service.url}/api/todos`)).json();
 * await service.stop();
 */
export type StartTodoService = (options?: TodoServiceOptions) => Promise<TodoService>;
