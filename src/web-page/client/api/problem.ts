import { type JsonRecord, listOf, parseJson, recordOf, textOf } from '../shared/json.ts';

/** A rule that a request broke, and where (RFC 6901). */
export interface Violation {
  readonly pointer: string;
  readonly detail: string;
}

/** A response that is an error. Its content need not be a problem (RFC 9457). */
export class ProblemError extends Error {
  readonly status: number;
  readonly violations: readonly Violation[];

  constructor(status: number, text: string) {
    const { detail, title, errors } = problemIn(text);
    super(textOf(detail) || textOf(title) || `The service responded with ${status}`);
    this.status = status;
    this.violations = listOf(errors)
      .map(recordOf)
      .map((each) => ({ pointer: textOf(each.pointer), detail: textOf(each.detail) }));
  }
}

/** There was no response at all. */
export class ConnectionError extends Error {
  constructor() {
    super('There is no connection to the service.');
  }
}

/** Describes any error to the user, as a sentence. */
export function sentenceOf(error: unknown): string {
  const sentence = error instanceof Error ? error.message : String(error);
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}

function problemIn(text: string): JsonRecord {
  try {
    return recordOf(parseJson(text));
  } catch {
    return {};
  }
}
