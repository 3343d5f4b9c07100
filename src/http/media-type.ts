/** A media type or range (RFC 9110, section 8.3.1), lower-cased where case does not count. */
export interface MediaType {
  readonly type: string;
  readonly subtype: string;
  readonly parameters: ReadonlyMap<string, string>;
}

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const QUOTED =
  '"(?:[\\t \\x21\\x23-\\x5b\\x5d-\\x7e\\x80-\\xff]|\\\\[\\t\\x20-\\x7e\\x80-\\xff])*"';
const ESSENCE = new RegExp(`^[\\t ]*(${TOKEN})/(${TOKEN})[\\t ]*`);
const PARAMETER = new RegExp(`;[\\t ]*(?:(${TOKEN})=(${TOKEN}|${QUOTED}))?[\\t ]*`, 'y');
const LIST_ITEM = new RegExp(`(?:${QUOTED}|[^",])+`, 'g');

/** Reads a media type with its parameters; undefined where the text is none. */
export function parseMediaType(text: string): MediaType | undefined {
  const essence = ESSENCE.exec(text);
  const [whole, type, subtype] = essence ?? [];
  if (whole === undefined || type === undefined || subtype === undefined) return undefined;
  const parameters = new Map<string, string>();
  PARAMETER.lastIndex = whole.length;
  while (PARAMETER.lastIndex < text.length) {
    const match = PARAMETER.exec(text);
    if (match === null) return undefined;
    const [, name, value] = match;
    if (name !== undefined && value !== undefined)
      parameters.set(name.toLowerCase(), unquote(value));
  }
  return { type: type.toLowerCase(), subtype: subtype.toLowerCase(), parameters };
}

/** Whether a `Content-Type` names a JSON document in UTF-8: `application/json` or `application/*+json`. */
export function isJson(contentType: string): boolean {
  if (contentType === 'application/json') return true;
  const media = parseMediaType(contentType);
  if (media === undefined || media.type !== 'application') return false;
  const charset = media.parameters.get('charset') ?? 'utf-8';
  return (
    (media.subtype === 'json' || /.\+json$/.test(media.subtype)) &&
    charset.toLowerCase() === 'utf-8'
  );
}

/**
 * Whether an `Accept` field lets `application/json` be sent (RFC 9110, section 12.5.1): the most specific range
 * that matches decides, and a weight of 0 excludes. An absent or empty field accepts everything; an item that is
 * no media range says nothing.
 */
export function acceptsJson(accept: string | undefined): boolean {
  if (accept === undefined || accept === '*/*' || accept === 'application/json') return true;
  if (accept.trim() === '') return true;
  let specificity = 0;
  let acceptable = false;
  for (const [item] of accept.matchAll(LIST_ITEM)) {
    const range = parseMediaType(item);
    const rank = range === undefined ? 0 : specificityForJson(range);
    if (range === undefined || rank === 0 || rank < specificity) continue;
    const weight = Number(range.parameters.get('q') ?? 1);
    acceptable = weight > 0 || (rank === specificity && acceptable);
    specificity = rank;
  }
  return acceptable;
}

/** 3 for `application/json`, 2 for `application/*`, 1 for the range of everything, 0 for what does not match. */
function specificityForJson({ type, subtype }: MediaType): number {
  if (type === '*' && subtype === '*') return 1;
  if (type !== 'application') return 0;
  if (subtype === '*') return 2;
  return subtype === 'json' ? 3 : 0;
}

function unquote(value: string): string {
  return value.startsWith('"') ? value.slice(1, -1).replaceAll(/\\(.)/g, '$1') : value;
}
