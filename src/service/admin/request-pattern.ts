/** The conditions on requests that faults and filters of the journal share. */
export interface RequestPattern {
  /** The request's method. */
  readonly method?: string | undefined;
  /** This path and the paths below it, as sent, but without `/lists/NAME`; `/` is every path. */
  readonly path?: string | undefined;
  /** The template of the path, such as `/api/todos/{id}`. */
  readonly route?: string | undefined;
  /** Header fields of the request that must have these values. */
  readonly requestHeaders?: Readonly<Record<string, string>> | undefined;
  /** Parameters of the query string that must have these values, after decoding. */
  readonly query?: Readonly<Record<string, string>> | undefined;
}
