import { Problem, type Query } from '../../../lib/http/index.ts';
import { jsonPointer } from '../../../lib/json/index.ts';
import { didYouMean, nearest } from '../../../lib/nearest.ts';
import { quoted } from '../../../lib/printable.ts';
import type { Argument } from '../../operation.ts';
import type { Shape } from '../shape.ts';
import { type Path, Validation } from '../validation.ts';

/** The parameter that clients add to bypass caches. It is accepted, and has no effect. */
const CACHE_BUSTER = '_';

/** The problem of a parameter, or of a value in its JSON. */
export function invalidParameter([name = '', ...place]: Path, detail: string): Problem {
  const at = place.length === 0 ? '' : ` at ${jsonPointer(...place)}`;
  return new Problem('invalid-parameter', `${name}${at} ${detail}`);
}

/** Reads the value of a parameter, or a value within it. @throws Problem with the first violation */
export function readParameter<T>(shape: Shape<T>, given: unknown, path: Path): T {
  const validation = new Validation((place, detail) => {
    throw invalidParameter([...path, ...place], detail);
  });
  return validation.checkedContent(shape.read(given, validation));
}

/** The detail of a violation by a text that is not allowed. */
export function mustBe(allowed: string, text: string): string {
  return `must be ${allowed}, not ${quoted(text)}`;
}

/** The parameters that a query string may have. */
interface KnownParameters {
  isKnown(name: string): boolean;
  /** Whether a parameter may have several values. */
  mayRepeat(name: string): boolean;
  /** Called for each unknown name. @throws Problem if it is refused */
  onUnknown(name: string): void;
}

/** The values of the known parameters of a query string, by name. @throws Problem */
export function parameterValuesIn(
  query: Query,
  { isKnown, mayRepeat, onUnknown }: KnownParameters,
): ReadonlyMap<string, readonly string[]> {
  const given = new Map<string, string[]>();
  for (const [name, text] of query.parameters) {
    const values = given.get(name);
    if (!isKnown(name)) {
      if (name !== CACHE_BUSTER) onUnknown(name);
    } else if (values === undefined) given.set(name, [text]);
    else if (mayRepeat(name)) values.push(text);
    else throw invalidParameter([name], 'must not be repeated');
  }
  return given;
}

/**
 * The parameters of a query string that can have only a few, by name.
 * @param names the known names
 * @param isStrict whether unknown names are refused; else they are ignored
 * @param repeatable the names that may be repeated
 * @throws Problem
 */
export function parametersIn(
  query: Query,
  names: readonly string[],
  isStrict: boolean,
  repeatable: readonly string[] = [],
): ReadonlyMap<string, readonly string[]> {
  return parameterValuesIn(query, {
    isKnown: (name) => names.includes(name),
    mayRepeat: (name) => repeatable.includes(name),
    onUnknown(name) {
      if (isStrict) throw unknownParameter(name, nearest(name, names), names);
    },
  });
}

/** A query string without parameters. */
export function noParameters(isStrict: boolean): Argument<void> {
  return {
    parameters: [],
    of: ({ query }) => {
      if (!query.isEmpty) parametersIn(query, [], isStrict);
    },
  };
}

/** The problem of an unknown parameter, which suggests a name, or else lists the names. */
export function unknownParameter(
  name: string,
  suggestion: string | undefined,
  names: readonly string[],
): Problem {
  const list = names.length === 1 ? 'the parameter is' : 'the parameters are';
  const known = names.length === 0 ? 'there are none' : `${list} ${names.join(', ')}`;
  const help = suggestion === undefined ? `; ${known}` : didYouMean(suggestion);
  return invalidParameter([quoted(name)], `is not a parameter${help}`);
}
