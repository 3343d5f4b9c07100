import { exactJsonText, isJsonObject } from '../../lib/json/index.ts';
import { type KnownPaths, patternMembers } from '../admin/request-matching.ts';
import { headerFields } from '../resource/header-fields.ts';
import { array, formatJson, object, range, type Shape, valueThat } from '../resource/shape.ts';
import { ABORTS, checkCombinations } from './fault-combinations.ts';
import { asText, type StoredFault } from './stored-fault.ts';

/** Fits into the deepest content of a request, in which it is within three other values. */
const MAX_DEPTH = 29;

const MAX_PATCH_BYTES = 4 * 1024;

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

/** Any JSON value. */
const JSON_VALUE: Shape<unknown> = {
  // A string, because generated clients send null for a member of any type that is not set.
  schema: {
    type: 'string',
    description: 'Any other JSON value is accepted, too, and sent as JSON.',
  },
  read(given, validation) {
    if (exactJsonText(given, MAX_DEPTH) !== undefined) return given;
    const texts = 'of well-formed Unicode, with numbers in the range of a double';
    return validation.violate('value', `must be a JSON value ${texts}, at most ${MAX_DEPTH} deep`);
  },
};

/** A merge patch (RFC 7396). */
const CONTENT_PATCH: Shape<object> = {
  schema: { type: 'object' },
  read(given, validation) {
    if (!isJsonObject(given)) {
      return validation.violate('type', `must be an object, not ${formatJson(given)}`);
    }
    if (JSON_VALUE.read(given, validation) === undefined) return undefined;
    if (Buffer.byteLength(exactJsonText(given) ?? '') <= MAX_PATCH_BYTES) return given;
    return validation.violate('value', `must have at most ${MAX_PATCH_BYTES} bytes of JSON`);
  },
};

/** A value of a header field without control characters (RFC 9110, section 5.5), in Latin-1. */
const FIELD_VALUE = /^(?:[\x21-\x7e\xa0-\xff](?:[\x20-\x7e\xa0-\xff]*[\x21-\x7e\xa0-\xff])?)?$/;

/** The fields that the server sets in every response: framing, the connection, the date, CORS. */
const RESERVED =
  /^(?:content-length|transfer-encoding|te|trailer|(?:proxy-)?connection|keep-alive|upgrade|date|access-control-.*)$/i;

/** The header fields of a response. */
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
export function faultList(paths: KnownPaths): Shape<readonly StoredFault[]> {
  return array(faultShape(paths), 0, MAX_FAULTS);
}

/** The shape of a fault (testing.md: "Faults"). */
export function faultShape(paths: KnownPaths) {
  const { requestHeaders, query, ...pattern } = patternMembers(paths);
  return object<StoredFault>(
    {
      ...pattern,
      requestHeaders: asText(requestHeaders),
      query: { ...query, ...asText(query) },
      skip: range('integer', 0, MAX_COUNT),
      rate: range('number', 0, 1),
      times: range('integer', 1, MAX_COUNT),
      delayMs: { ...leastDelay('delayMaxMs'), aliases: ['delay'] },
      delayMaxMs: { ...DELAY, aliases: ['maxDelayMs', 'jitterMs'] },
      responseDelayMs: leastDelay('responseDelayMaxMs'),
      responseDelayMaxMs: DELAY,
      abort: valueThat(
        { type: 'string', enum: ABORTS },
        '"before", "reset", "after", "truncate" or "stall"',
        (given): given is (typeof ABORTS)[number] => ABORTS.some((abort) => abort === given),
      ),
      status: { ...range('integer', 200, 599), aliases: ['code', 'statusCode'] },
      headers: asText(RESPONSE_FIELDS),
      content: {
        ...asText(JSON_VALUE),
        ifNull: 'is a value',
        aliases: ['body', 'json', 'jsonBody'],
      },
      contentPatch: { ...asText(CONTENT_PATCH), aliases: ['patch', 'mergePatch'] },
      pass: valueThat(
        { type: 'boolean' },
        'true or false',
        (given): given is boolean => typeof given === 'boolean',
      ),
    },
    { check: checkCombinations },
  );
}
