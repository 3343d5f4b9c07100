/** The levels of a log line, by what a reader should do about it: nothing, look, act. */
export type Level = 'info' | 'warn' | 'error';

/** What happened, beside the sentence that says it. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Writes one JSON line to standard output: time (UTC), level, message, and the fields. */
export function log(level: Level, message: string, fields: LogFields = {}): void {
  const line = { time: new Date().toISOString(), level, message, ...fields };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** What a log line says of an error: all a developer needs to find its cause. */
export function describeError(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: String(error) };
  const cause = error.cause === undefined ? {} : { cause: describeError(error.cause) };
  return { error: error.message, stack: error.stack, ...cause };
}
