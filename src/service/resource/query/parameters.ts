import { Problem, type Query } from '../../../lib/http/index.ts';
import { jsonPointer } from '../../../lib/json/index.ts';
import { didYouMean } from '../../../lib/nearest.ts';
import { quoted } from '../../../lib/printable.ts';
import type { Argument } from '../../operation.ts';
import type { Shape } from '../shape.ts';
import { type Path, Validation } from '../validation.ts';
import { suggestionsFor } from './suggestions.ts';

/** The parameter that clients add to bypass caches. It is accepted, and has no effect. */
export const CACHE_BUSTER = '_';

/** The problem of a parameter, or of a value in its JSON. */
export function invalidParameter([name = '', ...place]: Path, detail: string): Problem {
  const at = place.length === 0 ? '' : ` at ${jsonPointer(...place)}`;
  return new Problem('invalid-parameter', `${name}${at} ${detail}`);
}

/** Reads the value of a parameter, or a value within it. @throws Problem with the first violation */
export function readParameter<T>(shape: Shape<T>, given: unknown, path: Path): T {
  const validation = parameterValidation(path);
  return validation.contentOf(shape.read(given, validation));
}

/** A validation of the value at `path` that throws the first violation as a Problem. */
export function parameterValidation(path: Path): Validation {
  return new Validation((place, detail) => {
    throw invalidParameter([...path, ...place], detail);
  });
}

/** The detail of a violation by a text that is not allowed. */
export function mustBe(allowed: string, text: string): string {
  return `must be ${allowed}, not ${quoted(text)}`;
}

/** Whether unknown parameters are refused; `always` means regardless of `STRICT_QUERY`. */
export type Strictness = boolean | 'always';

/**
 * The parameters of a query string, by name.
 * @param names the known names
 * @throws Problem for a repeated one, and for an unknown one, unless it is ignored
 */
export function parametersIn(
  query: Query,
  names: readonly string[],
  strictness: Strictness,
): ReadonlyMap<string, string> {
  const given = new Map<string, string>();
  for (const [name, text] of query.parameters) {
    if (names.includes(name)) {
      if (given.has(name)) throw repeatedParameter(name);
      given.set(name, text);
    } else if (name !== CACHE_BUSTER && strictness !== false) {
      throw unknownParameter(name, suggestionsFor(name, names), names, strictness);
    }
  }
  return given;
}

/** The problem of a parameter that may be given one time. */
export function repeatedParameter(name: string): Problem {
  return invalidParameter([name], 'must not be repeated');
}

/**
 * A query string without parameters.
 * @param reasonFor returns why a parameter is refused that another method of the path has
 */
export function noParameters(
  strictness: Strictness,
  reasonFor: (name: string) => string | undefined = () => undefined,
): Argument<void> {
  return {
    parameters: [],
    of: ({ query }) => {
      if (query.isEmpty || strictness === false) return;
      for (const [name] of query.parameters) {
        const reason = reasonFor(name);
        if (reason !== undefined) throw invalidParameter([quoted(name)], reason);
      }
      parametersIn(query, [], strictness);
    },
  };
}

/** The problem of an unknown parameter. Without a suggestion, it lists the parameters. */
export function unknownParameter(
  name: string,
  suggestions: readonly string[],
  names: readonly string[],
  strictness: Strictness,
): Problem {
  const list = names.length === 1 ? 'the parameter is' : 'the parameters are';
  const known = names.length === 0 ? 'there are none' : `${list} ${names.join(', ')}`;
  const isSuggested = suggestions.length > 0;
  const help = isSuggested ? didYouMean(...suggestions) : `; ${known}`;
  const setting = `${isSuggested ? '' : ';'} STRICT_QUERY=off ignores unknown parameters`;
  const detail = `is not a parameter${help}${strictness === 'always' ? '' : setting}`;
  return invalidParameter([quoted(name)], detail);
}
