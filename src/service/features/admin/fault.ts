import type { JournalFilter } from './journal-entry.ts';

/** What goes wrong, and for which requests: those that meet all of these conditions. */
export interface Fault extends Pick<JournalFilter, 'method' | 'path' | 'route'> {
  /** Parameters of the query string that have these values. */
  readonly query?: Readonly<Record<string, string>>;
  /** Header fields of the request that have these values. */
  readonly requestHeaders?: Readonly<Record<string, string>>;
  /** The share of requests to hit; all if absent. */
  readonly rate?: number;
  /** How many requests that fit it lets pass first. */
  readonly skip?: number;
  /** After how many hits it ends. */
  readonly times?: number;
  /** How long it stays in force, in seconds; for ever if absent. */
  readonly seconds?: number;
  /** How long a request waits, in milliseconds. */
  readonly delayMs?: number;
  /** The maximum to add to the delay at random, in milliseconds. */
  readonly jitterMs?: number;
  /** The status of the response, from 200 to 599; nothing is carried out. */
  readonly status?: number;
  /** Header fields of a response with this status. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The content of a response with this status: plain text unless `headers` have a type. */
  readonly content?: string;
  /**
   * The connection is closed: without a response, before (`true` is the same) or after the request
   * is carried out; with a TCP reset; or when half of the content has been sent.
   */
  readonly abort?: boolean | 'before' | 'reset' | 'after' | 'truncate';
  /** How fast the content of the response comes, in bytes per second. */
  readonly bytesPerSecond?: number;
}

/** A fault as it is listed: with the seconds that it has left, and how often it has hit. */
export interface ListedFault extends Fault {
  readonly hits: number;
}
