import { exactJsonText, isJsonObject, type JsonObject, parseJson } from '../../lib/json/index.ts';
import { formatValue } from '../../lib/printable.ts';
import { headerFields, type KnownPaths, scopeMembers } from '../admin/request-scope.ts';
import { list, object, range, type Shape, valueThat } from '../resource/shape.ts';
import type { Validation } from '../resource/validation.ts';
import type { Fault } from './fault.ts';
import { PARAMETERS } from './parameters.ts';

const MAX_DELAY_MS = 3_600_000;
const MAX_COUNT = 1_000_000_000;

/** The maximum number of faults. Each request is compared with all of them. */
export const MAX_FAULTS = 100;

const ABORTS = ['before', 'reset', 'after', 'truncate'] as const;

const DELAY = range('number', 0, MAX_DELAY_MS);

/** The members of delays that vary: the least and the most. */
const DELAY_RANGES = [
  ['delayMs', 'delayMaxMs'],
  ['responseDelayMs', 'responseDelayMaxMs'],
] as const;

/** A delay that may be the least of a range. */
function leastDelay(most: string): Shape<number> {
  return range('number', 0, MAX_DELAY_MS, (given) =>
    typeof given === 'object' ? `; the most of a range is ${most}` : '',
  );
}

/** Statuses whose responses have no content (RFC 9110, section 6.4.1). */
const WITHOUT_CONTENT: readonly unknown[] = [204, 205, 304];

/** Any JSON value. It is copied with all digits of its numbers. */
const JSON_VALUE: Shape<unknown> = {
  // A string, because generated clients send null for a member of any type that is not set.
  schema: {
    type: 'string',
    description: 'Any other JSON value is accepted, too, and sent as JSON.',
  },
  read(given, validation) {
    const text = exactJsonText(given);
    if (text !== undefined) return parseJson(text);
    return validation.violate(
      'value',
      'must be a JSON value of well-formed Unicode, at most 32 deep',
    );
  },
};

/** A value of a header field without control characters (RFC 9110, section 5.5), in Latin-1. */
const FIELD_VALUE = /^(?:[\x21-\x7e\xa0-\xff](?:[\x20-\x7e\xa0-\xff]*[\x21-\x7e\xa0-\xff])?)?$/;

/** The fields that the server sets in every response: framing, the connection, the date, CORS. */
const RESERVED =
  /^(?:content-length|transfer-encoding|te|trailer|(?:proxy-)?connection|keep-alive|upgrade|date|access-control-.*)$/i;

/** The header fields of an injected response. */
const RESPONSE_FIELDS = headerFields<string | readonly string[]>(
  'an object of header fields with different names, not those of framing, the connection, the ' +
    'date and CORS, each with a text of printable Latin-1 characters or an array of such texts',
  // No type, because many generators of clients read one type only.
  { description: 'A text, or an array of texts.' },
  (name, value) => {
    const values = [value].flat();
    if (RESERVED.test(name) || !values.every(isFieldValue)) return undefined;
    return typeof value === 'string' ? value : values;
  },
);

function isFieldValue(value: unknown): value is string {
  return typeof value === 'string' && FIELD_VALUE.test(value);
}

/** A fault needs one of these members. */
const EFFECTS = ['delayMs', 'responseDelayMs', 'abort', 'status'];

const NEEDS_STATUS = 'must come with a status';

/** The shape of a list of faults. */
export function faultList(paths: KnownPaths): Shape<readonly Fault[]> {
  return list(faultShape(paths), 0, MAX_FAULTS);
}

/** The shape of a fault (testing.md: "Faults"). */
export function faultShape(paths: KnownPaths) {
  const isAbort = (given: unknown) => ABORTS.find((abort) => abort === given) !== undefined;
  return object<Fault>(
    {
      ...scopeMembers(paths),
      query: PARAMETERS,
      skip: range('integer', 0, MAX_COUNT),
      rate: range('number', 0, 1),
      times: range('integer', 1, MAX_COUNT),
      delayMs: { ...leastDelay('delayMaxMs'), aliases: ['delay'] },
      delayMaxMs: { ...DELAY, aliases: ['maxDelayMs', 'jitterMs'] },
      responseDelayMs: leastDelay('responseDelayMaxMs'),
      responseDelayMaxMs: DELAY,
      abort: valueThat(
        { type: 'string', enum: ABORTS },
        '"before", "reset", "after" or "truncate"',
        (given): given is (typeof ABORTS)[number] => isAbort(given),
      ),
      status: { ...range('integer', 200, 599), aliases: ['code', 'statusCode'] },
      headers: RESPONSE_FIELDS,
      content: { ...JSON_VALUE, ifNull: 'is a value', aliases: ['body', 'json', 'jsonBody'] },
    },
    {
      check(given, validation, intended) {
        const { abort, status, headers, content, responseDelayMs } = given;
        if (!EFFECTS.some((name) => given[name] !== undefined || intended.includes(name))) {
          validation.violate('required', `must have one of ${EFFECTS.join(', ')}`);
        }
        if (status !== undefined && abort !== 'truncate' && isAbort(abort)) {
          const detail = 'must not be combined with abort, unless that is "truncate"';
          validation.violateAt('status', 'value', detail);
        }
        checkDelayRanges(given, validation, intended);
        const carriesNothingOut = status !== undefined || abort === 'before' || abort === 'reset';
        if (responseDelayMs !== undefined && carriesNothingOut) {
          const detail =
            'must not be combined with status, nor with abort "before" or "reset", which carry nothing out; use delayMs';
          validation.violateAt('responseDelayMs', 'value', detail);
        }
        // Generated clients send empty objects for header fields that are not set.
        const hasHeaders = headers !== undefined && !isEmptyObject(headers);
        if (hasHeaders && status === undefined) {
          validation.violateAt('headers', 'value', NEEDS_STATUS);
        }
        if (content !== undefined && status === undefined) {
          validation.violateAt('content', 'value', NEEDS_STATUS);
        }
        if (content !== undefined && WITHOUT_CONTENT.includes(status)) {
          const detail = `must not come with the status ${status}, which has no content`;
          validation.violateAt('content', 'value', detail);
        }
      },
    },
  );
}

/** Checks that each longest delay comes with a delay that is not longer. */
function checkDelayRanges(
  given: JsonObject,
  validation: Validation,
  intended: readonly (string | undefined)[],
): void {
  for (const [least, most] of DELAY_RANGES) {
    const [min, max] = [given[least], given[most]];
    if (max === undefined || intended.includes(least)) continue;
    if (min === undefined) validation.violateAt(most, 'value', `must come with ${least}`);
    else if (Number(max) < Number(min)) {
      validation.violateAt(most, 'value', `must be at least ${least}, ${formatValue(min)}`);
    }
  }
}

function isEmptyObject(value: unknown): boolean {
  return isJsonObject(value) && Object.keys(value).length === 0;
}
