import { Problem } from './problem.ts';

const NOT_ASCII = /[^\x20-\x7e]/;

/** The parameters of a query string, decoded as application/x-www-form-urlencoded: `+` and `%20` are a space. */
export class Query {
  static readonly EMPTY: Query = new Query(new Map());

  readonly #first: ReadonlyMap<string, string>;

  private constructor(first: ReadonlyMap<string, string>) {
    this.#first = first;
  }

  /**
   * Decodes the part of a target after its `?`.
   * @throws Problem when any of it is not percent-encoded UTF-8.
   */
  static parse(text: string): Query {
    if (NOT_ASCII.test(text)) throw malformed();
    const first = new Map<string, string>();
    for (const pair of text.split('&')) {
      if (pair === '') continue;
      const equals = pair.indexOf('=');
      const name = decode(equals === -1 ? pair : pair.slice(0, equals));
      const value = equals === -1 ? '' : decode(pair.slice(equals + 1));
      if (!first.has(name)) first.set(name, value);
    }
    return new Query(first);
  }

  /** Whether there are no parameters at all. */
  get isEmpty(): boolean {
    return this.#first.size === 0;
  }

  /** The value of a parameter, the first where it is repeated; undefined where it is absent. */
  get(name: string): string | undefined {
    return this.#first.get(name);
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
