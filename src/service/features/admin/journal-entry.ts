/** A request, and how it was answered. */
export interface JournalEntry {
  /** When it arrived, in UTC (RFC 3339). */
  readonly time: string;
  readonly method: string;
  readonly target: string;
  /** The path as a template; null if it is unknown. */
  readonly route: string | null;
  /** Null if no response was sent. */
  readonly status: number | null;
  readonly durationMs: number;
  readonly requestId: string | null;
  /** By name in lower case, without credentials. */
  readonly headers: Readonly<Record<string, string>>;
  /** The beginning of its content as text; null if it had none. */
  readonly content: string | null;
  readonly contentBytes: number;
}
