import { type HeaderFields, Problem, quoted, type ViolationCode } from '../../../lib/http/index.ts';

/** Told that a parameter breaks a rule. It throws, or notes that and lets the rest be read. */
export type OnInvalid = (name: string, code: ViolationCode, rule: string) => void;

/** Refuses a query string at its first invalid parameter. @throws Problem `invalid-parameter` */
export function throwInvalid(
  name: string,
  code: ViolationCode,
  rule: string,
  headers: HeaderFields = {},
): never {
  const subject = code === 'unknown' ? quoted(name) : name;
  throw new Problem('invalid-parameter', `${subject} ${rule}`, { headers });
}

/** What is allowed instead of a text. */
export function mustBe(allowed: string, text: string): string {
  return `must be ${allowed}, not ${quoted(text)}`;
}
