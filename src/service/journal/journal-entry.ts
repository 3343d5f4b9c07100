import type { Scope } from '../admin/scope.ts';

/** A request and the outcome of its response. */
export interface JournalEntry {
  /** Its position among all requests of its list, from 1, in the order in which they appeared. */
  readonly number: number;
  /** When it arrived, in UTC (RFC 3339). */
  readonly time: string;
  readonly method: string;
  readonly target: string;
  /** The path as a template; null if it is unknown. */
  readonly route: string | null;
  /** Null until a response is sent. */
  readonly status: number | null;
  /** Null until the response has been sent, or has failed. */
  readonly durationMs: number | null;
  readonly requestId: string | null;
  /** By lower-case name. The values of credentials and cookies are `"[…]"`. */
  readonly headers: Readonly<Record<string, string>>;
  /** The first 4 KiB of the content as text; null if there is none. */
  readonly content: string | null;
  readonly contentBytes: number;
}

/**
 * Conditions that an entry of the journal must all meet. Values of `requestHeaders` are compared
 * with those that the entry shows.
 */
export interface JournalFilter extends Scope {
  /** Null finds the requests that have not been answered. */
  readonly status?: number | null | undefined;
}
