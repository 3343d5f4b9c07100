import { Problem } from '../http/core/problem.ts';
import { quoted } from '../http/request/quoted.ts';

/** The problem of a parameter with an invalid value. */
export function invalidParameter(name: string, allowed: string, value: string): Problem {
  return new Problem('invalid-parameter', `${name} must be ${allowed}, not ${quoted(value)}`);
}
