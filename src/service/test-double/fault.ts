/** Conditions on requests. */
export interface Scope {
  /** The request's method. */
  readonly method?: string | undefined;
  /** This path and the paths below it, as sent; `/` is every path. */
  readonly path?: string | undefined;
  /** The template of the path, such as `/api/todos/{id}`. */
  readonly route?: string | undefined;
}

/**
 * A fault to inject, and the conditions that a request must all meet. It needs at least one of
 * `delayMs`, `abort` and `status`.
 */
export interface Fault extends Scope {
  /** Header fields of the request that must have these values. */
  readonly requestHeaders?: Readonly<Record<string, string>> | undefined;
  /** How many matching requests pass before the first hit; 0 by default. */
  readonly skip?: number | undefined;
  /** The share of the later requests to hit, from 0 to 1; 1 by default. */
  readonly rate?: number | undefined;
  /** The maximum number of hits; no limit by default. */
  readonly times?: number | undefined;
  /** How long a request waits, in milliseconds. */
  readonly delayMs?: number | undefined;
  /**
   * Closes the connection: `before` and `reset` (by TCP) instead of carrying out the request,
   * `after` instead of responding, and `truncate` after half of the content.
   */
  readonly abort?: 'before' | 'reset' | 'after' | 'truncate' | undefined;
  /** The status of an injected response, from 200 to 599; the request is not carried out. */
  readonly status?: number | undefined;
  /** Header fields of the injected response. An array is sent as several fields. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>> | undefined;
  /**
   * Content of the injected response: a text, or another JSON value, null included. It is plain
   * text or JSON unless `headers` has a `Content-Type`.
   */
  readonly content?: unknown;
}

/** A fault in a list of the service, with the number of its hits so far. */
export interface ListedFault extends Fault {
  readonly hits: number;
}
