/** An element of a list; a quoted string in it may lack its end. No text is tried twice. */
const ELEMENT = /(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/gs;

/**
 * Splits a list field (RFC 9110, section 5.6.1) in linear time at its commas, except within quoted
 * strings. Elements are trimmed and empty ones dropped.
 */
export function splitList(value: string): string[] {
  const elements = value.match(ELEMENT) ?? [];
  return elements.map((element) => element.trim()).filter((element) => element !== '');
}

/** The value of the first such preference (RFC 7240), in lower case; empty if it has none. */
export function preference(prefer: string | readonly string[], name: string): string | undefined {
  for (const element of splitList(String(prefer))) {
    const [stated = ''] = element.split(';', 1);
    const [token = '', value = ''] = stated.split('=', 2);
    if (token.trim().toLowerCase() !== name) continue;
    return value
      .trim()
      .replace(/^"(.*)"$/, '$1')
      .toLowerCase();
  }
  return undefined;
}

/** A media type or range (RFC 9110, section 8.3.1), in lower case where case does not matter. */
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

/** Parses a media type with its parameters; undefined if the text is not one. */
export function parseMediaType(text: string): MediaType | undefined {
  const [whole, type, subtype] = ESSENCE.exec(text) ?? [];
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

/** Whether a `Content-Type` is one of some, in UTF-8; `*+json` is any such suffix (RFC 6839). */
export function isOneOf(contentType: string, mediaTypes: readonly string[]): boolean {
  if (mediaTypes.includes(contentType)) return true;
  const media = parseMediaType(contentType);
  if (media === undefined) return false;
  const charset = media.parameters.get('charset') ?? 'utf-8';
  if (charset.toLowerCase() !== 'utf-8') return false;
  const suffix = /.(\+\w+)$/.exec(media.subtype)?.[1];
  return (
    mediaTypes.includes(`${media.type}/${media.subtype}`) ||
    (suffix !== undefined && mediaTypes.includes(`${media.type}/*${suffix}`))
  );
}

/**
 * The quality of a media type under an `Accept` field (RFC 9110, section 12.5.1), from 0 (not
 * acceptable) to 1: the weight of the most specific range that matches, or the greatest of several.
 * An absent or empty field accepts everything; an invalid element is ignored.
 */
export function qualityOf(mediaType: string, accept: string | undefined): number {
  if (accept === undefined || accept === '*/*' || accept === mediaType) return 1;
  const elements = splitList(accept);
  if (elements.length === 0) return 1;
  let precedence = 0;
  let quality = 0;
  for (const element of elements) {
    const range = parseMediaType(element);
    if (range === undefined) continue;
    const rank = precedenceOf(range, mediaType);
    if (rank === 0 || rank < precedence) continue;
    // One that is not a number counts as 0.
    const weight = Number(range.parameters.get('q') ?? 1) || 0;
    quality = rank === precedence ? Math.max(quality, weight) : weight;
    precedence = rank;
  }
  return quality;
}

/** 3 for the type itself, 2 for its top-level type, 1 for everything, 0 for no match. */
function precedenceOf({ type, subtype }: MediaType, mediaType: string): number {
  if (type === '*') return subtype === '*' ? 1 : 0;
  if (!mediaType.startsWith(`${type}/`)) return 0;
  if (subtype === '*') return 2;
  return mediaType === `${type}/${subtype}` ? 3 : 0;
}

function unquote(value: string): string {
  return value.startsWith('"') ? value.slice(1, -1).replaceAll(/\\(.)/g, '$1') : value;
}
