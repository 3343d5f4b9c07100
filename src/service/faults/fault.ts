import type { RequestPattern } from '../admin/request-pattern.ts';

/**
 * A fault to inject, and the conditions that a request must all meet. It needs at least one of
 * `delayMs`, `responseDelayMs`, `status`, `headers`, `contentPatch`, `abort` and `pass`. All faults
 * that hit a request are applied together, in the order of their list.
 */
export interface Fault extends RequestPattern {
  /** How many matching requests pass before the first hit; 0 by default. */
  readonly skip?: number | undefined;
  /** The share of the later requests to hit, from 0 to 1; 1 by default. */
  readonly rate?: number | undefined;
  /** The maximum number of hits; no limit by default. */
  readonly times?: number | undefined;
  /** How long a request waits before it is carried out, in milliseconds. */
  readonly delayMs?: number | undefined;
  /** The longest wait: each hit draws one between `delayMs` and this, evenly. */
  readonly delayMaxMs?: number | undefined;
  /** How long the response is held back after the request was carried out, in milliseconds. */
  readonly responseDelayMs?: number | undefined;
  /** The longest time to hold the response back, as `delayMaxMs` is to `delayMs`. */
  readonly responseDelayMaxMs?: number | undefined;
  /**
   * Closes the connection: `before` and `reset` (by TCP) instead of carrying out the request,
   * `after` instead of responding, `truncate` after half of the content, and `stall` after half of
   * the content when the faults change.
   */
  readonly abort?: 'before' | 'reset' | 'after' | 'truncate' | 'stall' | undefined;
  /** The status of an injected response, from 200 to 599; the request is not carried out. */
  readonly status?: number | undefined;
  /** Header fields of the response, which replace its own. An array is sent as several fields. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>> | undefined;
  /**
   * Content of the injected response: a text, or another JSON value, null included. It is plain
   * text or JSON unless `headers` has a `Content-Type`.
   */
  readonly content?: unknown;
  /**
   * A JSON merge patch (RFC 7396) of the JSON content of a real response with a status 2xx, of each
   * element if it is an array. Null removes a member. Stored items do not change.
   */
  readonly contentPatch?: object | undefined;
  /** Whether the faults below do not see the request. Such a fault has no other effect. */
  readonly pass?: boolean | undefined;
}

/** A fault in a list of the service, with the number of its hits so far. */
export interface ListedFault extends Fault {
  readonly hits: number;
}
