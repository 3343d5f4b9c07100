import { isJsonObject, type JsonObject } from '../../lib/json/index.ts';
import { formatValue } from '../../lib/printable.ts';
import type { Validation } from '../resource/validation.ts';

/** The kinds of `abort`. */
export const ABORTS = ['before', 'reset', 'after', 'truncate'] as const;

/** A fault needs one of these members. */
const EFFECTS = ['delayMs', 'responseDelayMs', 'edit', 'abort', 'status'];

/** The members of delays that vary: the least and the most. */
const DELAY_RANGES = [
  ['delayMs', 'delayMaxMs'],
  ['responseDelayMs', 'responseDelayMaxMs'],
] as const;

/** The methods of requests that write an item. */
const EDITED: readonly unknown[] = ['PUT', 'PATCH', 'DELETE'];

/** Statuses whose responses have no content (RFC 9110, section 6.4.1). */
const WITHOUT_CONTENT: readonly unknown[] = [204, 205, 304];

const NEEDS_STATUS = 'must come with a status';

const NOTHING_IS_DONE =
  'must not be combined with status, nor with abort "before" or "reset", which carry nothing out';

/**
 * Checks combinations of the members of a fault, which may be invalid (testing.md: "Faults").
 * @param intended the names that unknown members probably stand for
 * @param itemRoute the template of the path of an item
 */
export function checkCombinations(
  given: JsonObject,
  validation: Validation,
  intended: readonly (string | undefined)[],
  itemRoute: string,
): void {
  const { method, route, abort, status, headers, content, responseDelayMs, edit } = given;
  const isGivenOrMeant = (name: string) => given[name] !== undefined || intended.includes(name);
  const refuse = (name: string, detail: string) => validation.violateAt(name, 'value', detail);

  if (!EFFECTS.some(isGivenOrMeant)) {
    validation.violate('required', `must have one of ${EFFECTS.join(', ')}`);
  }
  if (status !== undefined && abort !== 'truncate' && ABORTS.some((each) => each === abort)) {
    refuse('status', 'must not be combined with abort, unless that is "truncate"');
  }
  for (const [least, most] of DELAY_RANGES) {
    const [min, max] = [given[least], given[most]];
    if (max === undefined) continue;
    if (!isGivenOrMeant(least)) refuse(most, `must come with ${least}`);
    if (Number(max) < Number(min)) refuse(most, `must be at least ${least}, ${formatValue(min)}`);
  }
  const carriesNothingOut = status !== undefined || abort === 'before' || abort === 'reset';
  if (responseDelayMs !== undefined && carriesNothingOut) {
    refuse('responseDelayMs', `${NOTHING_IS_DONE}; use delayMs`);
  }
  if (edit !== undefined) {
    if (carriesNothingOut) refuse('edit', NOTHING_IS_DONE);
    if (!EDITED.includes(method) || route !== itemRoute) {
      refuse('edit', `must come with the method PUT, PATCH or DELETE, and the route ${itemRoute}`);
    }
  }
  if (status === undefined) {
    // Generated clients send empty objects for header fields that are not set.
    if (headers !== undefined && !isEmptyObject(headers)) refuse('headers', NEEDS_STATUS);
    if (content !== undefined) refuse('content', NEEDS_STATUS);
  }
  if (content !== undefined && WITHOUT_CONTENT.includes(status)) {
    refuse('content', `must not come with the status ${status}, which has no content`);
  }
}

function isEmptyObject(value: unknown): boolean {
  return isJsonObject(value) && Object.keys(value).length === 0;
}
