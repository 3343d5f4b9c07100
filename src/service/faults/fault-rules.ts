import { exactJsonText, isJsonObject, parseJson } from '../../lib/json/index.ts';
import { patternMembers } from '../admin/request-matching.ts';
import { headerFields } from '../resource/header-fields.ts';
import { list, type Member, object, range, type Shape, valueThat } from '../resource/shape.ts';
import type { Fault } from './fault.ts';
import { ABORTS, checkCombinations } from './fault-combinations.ts';
import type { FaultTargets, ItemEdits } from './fault-targets.ts';
import { PARAMETERS } from './parameters.ts';

const MAX_DELAY_MS = 3_600_000;
const MAX_COUNT = 1_000_000_000;

/** The maximum number of faults. Each request is compared with all of them. */
export const MAX_FAULTS = 100;

const DELAY = range('number', 0, MAX_DELAY_MS);

/** A delay that may be the least of a range. */
function leastDelay(most: string): Shape<number> {
  return range('number', 0, MAX_DELAY_MS, (given) =>
    typeof given === 'object' ? `; for a range, add ${most}` : '',
  );
}

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

/** The shape of a list of faults. */
export function faultList(targets: FaultTargets): Shape<readonly Fault[]> {
  return list(faultShape(targets), 0, MAX_FAULTS);
}

/** The shape of a fault (testing.md: "Faults"). */
export function faultShape(targets: FaultTargets) {
  return object<Fault>(
    {
      ...patternMembers(targets),
      query: { ...PARAMETERS, aliases: ['params', 'queryParams', 'queryParameters'] },
      skip: range('integer', 0, MAX_COUNT),
      rate: range('number', 0, 1),
      times: range('integer', 1, MAX_COUNT),
      delayMs: { ...leastDelay('delayMaxMs'), aliases: ['delay'] },
      delayMaxMs: { ...DELAY, aliases: ['maxDelayMs', 'jitterMs'] },
      responseDelayMs: leastDelay('responseDelayMaxMs'),
      responseDelayMaxMs: DELAY,
      edit: editMember(targets.edits),
      abort: valueThat(
        { type: 'string', enum: ABORTS },
        '"before", "reset", "after" or "truncate"',
        (given): given is (typeof ABORTS)[number] => ABORTS.some((abort) => abort === given),
      ),
      status: { ...range('integer', 200, 599), aliases: ['code', 'statusCode'] },
      headers: RESPONSE_FIELDS,
      content: { ...JSON_VALUE, ifNull: 'is a value', aliases: ['body', 'json', 'jsonBody'] },
    },
    {
      check: (given, validation, intended) =>
        checkCombinations(given, validation, intended, targets.edits.route),
    },
  );
}

/** An edit follows the rules of a PATCH, and stays as it was given. */
function editMember({ content: { schema, shape } }: ItemEdits): Member<object> {
  return {
    schema,
    aliases: ['patch', 'conflict'],
    read(given, validation) {
      const count = validation.violations.length;
      shape.read(given, validation);
      if (validation.violations.length > count) return undefined;
      const copy = JSON_VALUE.read(given, validation);
      return isJsonObject(copy) ? copy : undefined;
    },
  };
}
