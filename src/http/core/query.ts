import { Problem } from './problem.ts';

const NOT_ASCII = /[^\x20-\x7e]/;

/** One parameter of a query string, decoded. */
export type QueryParameter = readonly [name: string, value: string];

/**
 * The parameters of a query string, decoded as application/x-www-form-urlencoded: `+` and `%20` are
 * a space.
 */
export class Query {
  static readonly EMPTY: Query = new Query([]);

  /** All parameters, in the order sent. */
  readonly parameters: readonly QueryParameter[];

  private constructor(parameters: readonly QueryParameter[]) {
    this.parameters = parameters;
  }

  /**
   * Decodes the part of a target after its `?`.
   * @throws Problem `malformed-query` if it is not percent-encoded UTF-8
   */
  static parse(text: string): Query {
    if (NOT_ASCII.test(text)) throw malformed();
    const parameters: QueryParameter[] = [];
    for (const pair of text.split('&')) {
      if (pair === '') continue;
      const equals = pair.indexOf('=');
      const name = decode(equals === -1 ? pair : pair.slice(0, equals));
      parameters.push([name, equals === -1 ? '' : decode(pair.slice(equals + 1))]);
    }
    return new Query(parameters);
  }

  /** Whether there are no parameters at all. */
  get isEmpty(): boolean {
    return this.parameters.length === 0;
  }

  /**
   * The value of a parameter, or undefined if it is absent. If it is repeated, the first one
   * counts.
   */
  get(name: string): string | undefined {
    for (const [each, value] of this.parameters) if (each === name) return value;
    return undefined;
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw malformed();
  }
}

function malformed(): Problem {
  const detail =
    'The query string must be percent-encoded UTF-8: write a "%" as "%25", an "é" as "%C3%A9"';
  return new Problem('malformed-query', detail);
}
