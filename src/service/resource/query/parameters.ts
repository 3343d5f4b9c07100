import {
  MAX_PARAMETERS,
  type ParameterError,
  Problem,
  type Query,
} from '../../../lib/http/index.ts';
import { jsonPointer } from '../../../lib/json/index.ts';
import { didYouMean, nearest } from '../../../lib/nearest.ts';
import { quoted } from '../../../lib/printable.ts';
import type { Argument } from '../../operation.ts';
import type { Shape } from '../shape.ts';
import { type Path, Validation } from '../validation.ts';

/** The reasons to refuse a parameter: the `code` of an entry of `errors`. */
export const PARAMETER_CODES = ['unknown', 'operator', 'value', 'repeated', 'conflict'] as const;

type ParameterCode = (typeof PARAMETER_CODES)[number];

/** The parameter that clients add to bypass caches. It is accepted, and has no effect. */
const CACHE_BUSTER = '_';

/** The problem of a parameter, or of a value in its JSON. */
export function invalidParameter(
  [name = '', ...place]: Path,
  detail: string,
  code: ParameterCode = 'value',
): Problem {
  const at = place.length === 0 ? '' : ` at ${jsonPointer(...place)}`;
  const isUnknown = code === 'unknown' || code === 'operator';
  const subject = isUnknown ? quoted(String(name)) : name;
  return refusal([{ parameter: String(name), code, detail: `${subject}${at} ${detail}` }]);
}

/** The problem of refused parameters, whose detail is that of the first one. */
function refusal(errors: readonly [ParameterError, ...ParameterError[]]): Problem {
  return new Problem('invalid-parameter', errors[0].detail, { errors });
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
export interface KnownParameters {
  has(name: string): boolean;
  /** Whether a parameter may have several values. */
  mayRepeat(name: string): boolean;
  /** The problem of an unknown name; undefined if it is ignored. @param hasHint whether it helps */
  refusalOf(name: string, hasHint: boolean): Problem | undefined;
}

/** The maximum number of problems with a hint. Finding one takes up to a millisecond. */
const MAX_HINTS = 5;

/**
 * Reads each known parameter, in the order sent.
 * @param read throws the problem of a parameter. May return a check that needs all parameters
 * @throws Problem with an error for each refused parameter
 */
export function readParameters(
  query: Query,
  known: KnownParameters,
  read: (name: string, text: string) => (() => void) | undefined,
): void {
  if (query.count > MAX_PARAMETERS) {
    const detail = `A query has at most ${MAX_PARAMETERS} parameters, not ${query.count}`;
    throw new Problem('invalid-parameter', detail);
  }
  const problems = new Map<number, Problem>();
  const seen = new Set<string>();
  const checks: (readonly [at: number, check: () => void])[] = [];
  const attempt = (at: number, work: () => void) => {
    try {
      work();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      problems.set(at, error);
    }
  };
  for (const [at, [name, text]] of query.parameters.entries()) {
    if (name === CACHE_BUSTER) continue;
    if (!known.has(name)) {
      const problem = known.refusalOf(name, problems.size < MAX_HINTS);
      if (problem !== undefined) problems.set(at, problem);
      continue;
    }
    attempt(at, () => {
      if (seen.has(name) && !known.mayRepeat(name)) {
        throw invalidParameter([name], 'must not be repeated', 'repeated');
      }
      seen.add(name);
      const check = read(name, text);
      if (check !== undefined) checks.push([at, check]);
    });
  }
  for (const [at, check] of checks) attempt(at, check);
  const inOrder = [...problems].sort(([a], [b]) => a - b);
  const [first, ...others] = inOrder.flatMap(([, { errors = [] }]) => errors.filter(isOfParameter));
  if (first !== undefined) throw refusal([first, ...others]);
}

function isOfParameter(error: object): error is ParameterError {
  return 'parameter' in error;
}

/**
 * The parameters of a query string that can have only a few.
 * @param ignores whether an unknown name is ignored
 * @param repeatable the names that may be repeated
 */
export function namedParameters(
  names: readonly string[],
  ignores: (name: string) => boolean,
  repeatable: readonly string[] = [],
): KnownParameters {
  return {
    has: (name) => names.includes(name),
    mayRepeat: (name) => repeatable.includes(name),
    refusalOf: (name, hasHint) => {
      if (ignores(name)) return undefined;
      if (!hasHint) return unknownParameter(name, '', []);
      const suggestion = nearest(name, names);
      return unknownParameter(name, suggestion && didYouMean(suggestion), names);
    },
  };
}

/** A query string without parameters. @param ignores whether an unknown name is ignored */
export function noParameters(ignores: (name: string) => boolean): Argument<void> {
  const known = namedParameters([], ignores);
  return {
    parameters: [],
    readFrom: ({ query }) => {
      if (!query.isEmpty) readParameters(query, known, () => {});
    },
  };
}

/**
 * The problem of an unknown parameter.
 * @param hint the end of the sentence; by default, the names
 */
export function unknownParameter(
  name: string,
  hint: string | undefined,
  names: readonly string[],
  code: ParameterCode = 'unknown',
): Problem {
  const list = names.length === 1 ? 'the parameter is' : 'the parameters are';
  const known = names.length === 0 ? 'there are none' : `${list} ${names.join(', ')}`;
  return invalidParameter([name], `is not a parameter${hint ?? `; ${known}`}`, code);
}
