/** A request, and how it was answered. */
export interface JournalEntry {
  /** When it arrived, in UTC (RFC 3339). */
  readonly time: string;
  readonly method: string;
  readonly target: string;
  /** The path as a template; null if it is unknown. */
  readonly route: string | null;
  /** Null while there is no response, and for ever if none was sent. */
  readonly status: number | null;
  /** Null until it is over. */
  readonly durationMs: number | null;
  readonly requestId: string | null;
  /** By name in lower case, without credentials. */
  readonly headers: Readonly<Record<string, string>>;
  /** The beginning of its content as text; null if it had none. */
  readonly content: string | null;
  readonly contentBytes: number;
}

/** Which entries of the journal to return: those for which all of this is so. */
export interface JournalFilter {
  readonly method?: string | undefined;
  /** This path and those below it, as sent; `/` is every path. */
  readonly path?: string | undefined;
  /** The template of the path, such as `/api/todos/{id}`. */
  readonly route?: string | undefined;
  readonly status?: number | null | undefined;
  /** Only so many of them, the newest. */
  readonly limit?: number | undefined;
}
