/** What goes wrong, and for which requests. */
export interface Fault {
  /** Any method if absent. */
  readonly method?: string;
  /** A prefix of the path; any path if absent. */
  readonly path?: string;
  /** How long a request waits, in milliseconds. */
  readonly delayMs?: number;
  /** The maximum to add to the delay at random, in milliseconds. */
  readonly jitterMs?: number;
  /** The share of requests to hit; all if absent. */
  readonly rate?: number;
  /** The status of the response. */
  readonly status?: number;
  /** Header fields of a response with this status. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The connection is closed without a response, before or after the request is carried out. */
  readonly abort?: boolean | 'before' | 'after';
  /** How long it stays in force, in seconds; for ever if absent. */
  readonly seconds?: number;
  /** How many requests that fit it lets pass first. */
  readonly skip?: number;
  /** After how many hits it ends. */
  readonly times?: number;
}
