import {
  isJsonObject,
  type JsonObject,
  type JsonSchema,
  mapValues,
} from '../../../lib/json/index.ts';
import { formatValue, quoted } from '../../../lib/printable.ts';
import type { ViolationCode } from '../../resource/validation.ts';

/** The rule for a member of an object. */
export interface MemberRule {
  readonly schema: JsonSchema;
  /** Completes the sentence "must be …". */
  readonly allowed: string;
  readonly accepts: (value: unknown) => boolean;
  /** Returns a second sentence about a value that is not accepted. */
  readonly hint?: (value: unknown) => string | undefined;
}

/** Rules by member name. Any other member is a violation. */
type MemberRules = Readonly<Record<string, MemberRule>>;

/** The rule for a number in a range. */
export function range(
  type: 'integer' | 'number',
  minimum: number,
  maximum = Number.MAX_VALUE,
): MemberRule {
  const isBounded = maximum < Number.MAX_VALUE;
  const kind = type === 'integer' ? 'an integer' : 'a number';
  return {
    schema: { type, minimum, ...(isBounded && { maximum }) },
    allowed: `${kind}${isBounded ? ` from ${minimum} to ${maximum}` : `, at least ${minimum}`}`,
    accepts: (value) =>
      typeof value === 'number' &&
      value >= minimum &&
      value <= maximum &&
      (type === 'number' || Number.isInteger(value)),
  };
}

/** The rule for a text of well-formed Unicode, which may have to match a pattern. */
export function text(allowed: string, pattern?: RegExp): MemberRule {
  return {
    schema: { type: 'string', ...(pattern && { pattern: pattern.source }) },
    allowed,
    accepts: (value) =>
      typeof value === 'string' && value.isWellFormed() && (pattern?.test(value) ?? true),
  };
}

/** Reports that a member violates a rule. */
export type Report = (name: string, code: ViolationCode, detail: string) => void;

/**
 * Copies members that are not undefined, each checked by its rule.
 * @param unknown begins the detail for an unknown name. The known names follow
 */
export function checkedMembers(
  given: Iterable<readonly [name: string, value: unknown]>,
  rules: MemberRules,
  report: Report,
  unknown = 'use',
): Record<string, unknown> {
  const members: Record<string, unknown> = {};
  for (const [name, value] of given) {
    if (value === undefined) continue;
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (rule === undefined) {
      report(name, 'unknown', `is unknown; ${unknown} ${Object.keys(rules).join(', ')}`);
      continue;
    }
    if (!rule.accepts(value)) {
      const more = rule.hint?.(value);
      const hint = more === undefined ? '' : `; ${more}`;
      const other = isJsonObject(value) ? '' : `, not ${formatValue(value)}`;
      report(name, 'value', `must be ${rule.allowed}${other}${hint}`);
    }
    members[name] = copyOf(value);
  }
  return members;
}

/** Checks an object from a program. @throws TypeError that names the first violation */
export function checkedObject(
  given: unknown,
  rules: MemberRules,
  failure: string,
  subject = 'it',
): Record<string, unknown> {
  const fail = (reason: string) => new TypeError(`${failure}: ${reason}`);
  if (!isJsonObject(given)) throw fail(`${subject} must be an object, not ${formatValue(given)}`);
  return checkedMembers(Object.entries(given), rules, (name, code, detail) => {
    throw fail(`${code === 'unknown' ? quoted(name) : name} ${detail}`);
  });
}

function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOf);
  return isJsonObject(value) ? mapValues(withoutUndefined(value), copyOf) : value;
}

export function withoutUndefined(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}
