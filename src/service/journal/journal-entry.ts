import type { RequestPattern } from '../admin/request-pattern.ts';

/** A request and the outcome of its response. */
export interface JournalEntry {
  /** Its position among all requests that the journal of its list has recorded, from 1. */
  readonly number: number;
  /** When it arrived, in UTC (RFC 3339). */
  readonly time: string;
  readonly method: string;
  /** The path and the query, as sent. The values of secret parameters are `[…]`. */
  readonly target: string;
  /** The path as a template; null if it is unknown. */
  readonly route: string | null;
  /** Null until a response is sent. */
  readonly status: number | null;
  /** The time from its arrival until its response was sent, or has failed; null until then. */
  readonly durationMs: number | null;
  /** The client's `X-Request-Id`; null without a valid one. */
  readonly requestId: string | null;
  /** By lower-case name. The values of credentials, cookies and secret fields are `[…]`. */
  readonly headers: Readonly<Record<string, string>>;
  /** The first 4 KiB of the content as text; null if there is none. */
  readonly content: string | null;
  /** The length of the whole content. */
  readonly contentBytes: number;
}

/** Conditions that a request in the journal must all meet, as it was sent. */
export interface JournalFilter extends RequestPattern {
  /** Null finds the requests that have not been answered. */
  readonly status?: number | null | undefined;
}
