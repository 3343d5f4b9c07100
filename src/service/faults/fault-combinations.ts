import { isJsonObject, type JsonObject } from '../../lib/json/index.ts';
import { formatValue } from '../../lib/printable.ts';
import type { Validation } from '../resource/validation.ts';

/** The kinds of `abort`. The last two send a part of a response. */
export const ABORTS = ['before', 'reset', 'after', 'truncate', 'stall'] as const;

/** The members of delays, each with that of its maximum. */
const DELAYS = [
  ['delayMs', 'delayMaxMs'],
  ['responseDelayMs', 'responseDelayMaxMs'],
] as const;

/** A fault needs one of these members. */
export const EFFECTS = [
  ...['delayMs', 'responseDelayMs', 'status', 'headers', 'contentPatch', 'abort', 'pass'],
];

/** Statuses whose responses have no content (RFC 9110, section 6.4.1). */
const WITHOUT_CONTENT: readonly unknown[] = [204, 205, 304];

/** Checks combinations of the members of a fault, which may be invalid (testing.md: "Faults"). */
export function checkCombinations(
  given: JsonObject,
  validation: Validation,
  intended: readonly (string | undefined)[],
): void {
  const { abort, status, content } = given;
  const hasStatus = status !== undefined;
  const isClosing = ABORTS.slice(0, 3).some((each) => each === abort);
  const effects = EFFECTS.filter((name) => isEffect(given[name]) || intended.includes(name));
  const refuse = (name: string, detail: string) => validation.violateAt(name, 'value', detail);
  /** Refuses a member if it is there and something contradicts it. */
  const refuseBeside = (name: string, isRefused: boolean, beside: string) => {
    if (isRefused && isEffect(given[name])) refuse(name, `must not be combined with ${beside}`);
  };

  if (effects.length === 0) {
    validation.violate('required', `must have one of ${EFFECTS.join(', ')}`);
  }
  for (const [least, most] of DELAYS) {
    const [min, max] = [given[least], given[most]];
    if (max === undefined) continue;
    if (!effects.includes(least)) refuse(most, `must come with ${least}`);
    if (Number(max) < Number(min)) refuse(most, `must be at least ${least}, ${formatValue(min)}`);
  }
  const zeros = DELAYS.filter(([least, most]) => given[least] === 0 && !given[most]);
  if (zeros.length > 0 && zeros.length === effects.length) {
    const detail = 'must not be 0 without another effect; pass keeps requests from later faults';
    for (const [least] of zeros) refuse(least, detail);
  }
  const unlessSending = 'abort, unless that is "truncate" or "stall"';
  refuseBeside('status', isClosing, unlessSending);
  refuseBeside(
    'responseDelayMs',
    hasStatus || (isClosing && abort !== 'after'),
    'status, nor with abort "before" or "reset", which carry nothing out; use delayMs',
  );
  refuseBeside('headers', isClosing, 'abort "before", "reset" or "after", which send nothing');
  refuseBeside('contentPatch', hasStatus || isClosing, `status, nor with ${unlessSending}`);
  refuseBeside('pass', effects.length > 1, effects.filter((name) => name !== 'pass').join(', '));
  if (content !== undefined && !hasStatus) refuse('content', 'must come with a status');
  if (content !== undefined && WITHOUT_CONTENT.includes(status)) {
    refuse('content', `must not come with the status ${status}, which has no content`);
  }
}

/** Whether a member has an effect. Generated clients send empty objects and false for unset ones. */
function isEffect(value: unknown): boolean {
  if (value === undefined || value === false) return false;
  // Of a program, members that are undefined are none.
  return !isJsonObject(value) || Object.values(value).some((member) => member !== undefined);
}
