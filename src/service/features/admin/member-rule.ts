import { quoted, shown } from '../../../lib/http/index.ts';
import {
  integerOf,
  isJsonObject,
  type JsonObject,
  type JsonSchema,
} from '../../../lib/json/index.ts';
import type { Service } from '../feature.ts';

/** What requests to a service can be for. */
export type Addresses = Pick<Service, 'basePath' | 'templates'>;

/** A rule for a member of a fault, or of a filter. */
export interface MemberRule {
  readonly schema: JsonSchema;
  /**
   * What a value must be, in words that follow its name; undefined if it is that.
   * @param sourceOf returns the text of a number that `JSON.parse` may have rounded
   */
  readonly check: (
    value: unknown,
    addresses: Addresses,
    sourceOf?: () => string | undefined,
  ) => string | undefined;
}

/** Makes a rule. @param allowed completes the sentence "must be …" */
export function memberRule(
  schema: JsonSchema,
  allowed: string,
  accepts: (...args: Parameters<MemberRule['check']>) => boolean,
): MemberRule {
  const check: MemberRule['check'] = (...args) => {
    const [value] = args;
    if (accepts(...args)) return undefined;
    return `must be ${allowed}${isJsonObject(value) ? '' : `, not ${shown(value)}`}`;
  };
  return { schema, check };
}

/** The rule for a number in a range. */
export function range(
  type: 'integer' | 'number',
  minimum: number,
  maximum = Number.POSITIVE_INFINITY,
): MemberRule {
  const isBounded = maximum < Number.POSITIVE_INFINITY;
  const kind = type === 'integer' ? 'an integer' : 'a number';
  return memberRule(
    { type, minimum, ...(isBounded && { maximum }) },
    `${kind}${isBounded ? ` from ${minimum} to ${maximum}` : `, at least ${minimum}`}`,
    (value, _, sourceOf = () => undefined) =>
      typeof value === 'number' &&
      value >= minimum &&
      value <= maximum &&
      (type === 'number' || integerOf(value, sourceOf) !== undefined),
  );
}

/**
 * Checks members, each by its rule, and copies them.
 * @param fail makes the error of the first that is wrong
 */
export function checkedMembers(
  given: readonly (readonly [name: string, value: unknown])[],
  rules: Readonly<Record<string, MemberRule>>,
  addresses: Addresses,
  fail: (reason: string) => Error,
): JsonObject {
  const members: Record<string, unknown> = {};
  for (const [name, value] of given) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (rule === undefined) {
      throw fail(`${quoted(name)} is unknown; use ${Object.keys(rules).join(', ')}`);
    }
    const wrong = rule.check(value, addresses);
    if (wrong !== undefined) throw fail(`${name} ${wrong}`);
    if (Object.hasOwn(members, name)) throw fail(`${name} must be given once`);
    members[name] = value;
  }
  return members;
}

/** The members of an object that are not undefined. */
export function definedOf(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}
