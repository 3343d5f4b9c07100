import { type HeaderFields, Problem, quoted, type ViolationCode } from '../../../lib/http/index.ts';

/** Refuses a query string at its first invalid parameter. @throws Problem `invalid-parameter` */
export function throwInvalid(
  name: string,
  code: ViolationCode,
  rule: string,
  headers: HeaderFields = {},
): never {
  throw new Problem('invalid-parameter', sentenceOf(name, code, rule), { headers });
}

/** A sentence about a name that breaks a rule. */
export function sentenceOf(name: string, code: ViolationCode, rule: string): string {
  return `${code === 'unknown' ? quoted(name) : name} ${rule}`;
}

/** What is allowed instead of a text. */
export function mustBe(allowed: string, text: string): string {
  return `must be ${allowed}, not ${quoted(text)}`;
}
