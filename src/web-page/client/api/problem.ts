import { listOf, parseJson, recordOf, textOf } from '../shared/json.ts';

/** A rule that a request broke, and where (RFC 6901). */
export interface Violation {
  readonly pointer: string;
  readonly detail: string;
}

/** A response that is an error. Its content need not be a problem (RFC 9457). */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly status: number;
  readonly code: string;
  readonly violations: readonly Violation[];

  constructor(status: number, text: string) {
    const problem = recordOf(tryParse(text));
    super(
      textOf(problem.detail) || textOf(problem.title) || `The service responded with ${status}`,
    );
    this.status = status;
    this.code = textOf(problem.code);
    this.violations = listOf(problem.errors).map((each) => {
      const { pointer, detail } = recordOf(each);
      return { pointer: textOf(pointer), detail: textOf(detail) };
    });
  }
}

/** There was no response at all. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';

  constructor() {
    super('There is no connection to the service.');
  }
}

/** Describes any error to the user, as a sentence. */
export function sentenceOf(error: unknown): string {
  const sentence = error instanceof Error ? error.message : String(error);
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}

function tryParse(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
