import { loadModule } from '../../node-module.ts';

/** An element of a list, which may end within a quoted string. Matches without backtracking. */
const ELEMENT = /(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/gs;

/** The elements of a list (RFC 9110, section 5.6.1), trimmed and not empty, in linear time. */
export function splitList(value: string): string[] {
  const elements = value.match(ELEMENT) ?? [];
  return elements.map((element) => element.trim()).filter((element) => element !== '');
}

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const WHOLE_TOKEN = new RegExp(`^${TOKEN}$`);

/** Whether a text is a token, such as the name of a field (RFC 9110, section 5.6.2). */
export function isToken(text: string): boolean {
  return WHOLE_TOKEN.test(text);
}

const QUOTED =
  '"(?:[\\t \\x21\\x23-\\x5b\\x5d-\\x7e\\x80-\\xff]|\\\\[\\t\\x20-\\x7e\\x80-\\xff])*"';
const ESSENCE = new RegExp(`^[\\t ]*(${TOKEN}/${TOKEN})[\\t ]*`);
const PARAMETER = new RegExp(`;[\\t ]*(?:(${TOKEN})=(${TOKEN}|${QUOTED}))?[\\t ]*`, 'y');

/** Parses a media type or range (RFC 9110, section 8.3.1); undefined if the text is not one. */
export function parseMediaType(text: string) {
  const [whole, essence] = ESSENCE.exec(text) ?? [];
  if (whole === undefined || essence === undefined) return undefined;
  const parameters = new Map<string, string>();
  PARAMETER.lastIndex = whole.length;
  while (PARAMETER.lastIndex < text.length) {
    const match = PARAMETER.exec(text);
    if (match === null) return undefined;
    const [, name, value] = match;
    if (name !== undefined && value !== undefined) {
      parameters.set(name.toLowerCase(), unquote(value));
    }
  }
  return { essence: essence.toLowerCase(), parameters };
}

function unquote(value: string): string {
  return value.startsWith('"') ? value.slice(1, -1).replaceAll(/\\(.)/g, '$1') : value;
}

/**
 * Whether a `Content-Type` is one of some media types, and its charset is UTF-8 or absent. `*+json`
 * among them matches any type with this suffix (RFC 6839).
 */
export function matchesMediaType(contentType: string, mediaTypes: readonly string[]): boolean {
  if (mediaTypes.includes(contentType)) return true;
  const media = parseMediaType(contentType);
  const charset = media?.parameters.get('charset') ?? 'utf-8';
  if (media === undefined || !/^utf-?8$/i.test(charset)) return false;
  const { essence } = media;
  const wildcard = essence.replace(/\/.+?(\+\w+)$/, '/*$1');
  return mediaTypes.includes(essence) || mediaTypes.includes(wildcard);
}

/**
 * The quality of a media type under an `Accept` field (RFC 9110, section 12.5.1), from 0 to 1: the
 * greatest weight of the most specific ranges that match. An invalid element is ignored.
 */
export function qualityOf(mediaType: string, accept: string | undefined): number {
  if (accept === undefined || accept === '*/*' || accept === mediaType) return 1;
  const elements = splitList(accept);
  if (elements.length === 0) return 1;
  let highest = 0;
  let quality = 0;
  for (const element of elements) {
    const range = parseMediaType(element);
    if (range === undefined) continue;
    const precedence = precedenceOf(range.essence, mediaType);
    if (precedence === 0 || precedence < highest) continue;
    const weight = weightOf(range.parameters.get('q'));
    quality = precedence === highest ? Math.max(quality, weight) : weight;
    highest = precedence;
  }
  return quality;
}

/** Reads a weight (RFC 9110, section 12.4.2). No number counts as 0, and one above 1 as 1. */
function weightOf(q = '1'): number {
  return Math.min(1, Math.max(0, Number(q) || 0));
}

/** 3 for the type itself, 2 for its top-level type, 1 for everything, 0 for no match. */
function precedenceOf(range: string, mediaType: string): number {
  if (range === '*/*') return 1;
  if (range === mediaType) return 3;
  return range.endsWith('/*') && mediaType.startsWith(range.slice(0, -1)) ? 2 : 0;
}

/** An entity tag (RFC 9110, section 8.8.3), as a pattern of the API document (decision 12). */
const ENTITY_TAG = '(?:W[/])?\\x22[\\x21\\x23-\\x7e\\x80-\\xff]*\\x22';

/** A list of tags. Empty elements are allowed (section 5.6.1). */
const TAG_LIST = `[\\t ,]*${ENTITY_TAG}(?:[\\t ]*,[\\t ,]*${ENTITY_TAG})*[\\t ,]*`;

/** The pattern of an `If-Match` that can be parsed (section 13.1.1). */
export const IF_MATCH_PATTERN = `^(?:[*]|${TAG_LIST})$`;

const EACH_TAG = new RegExp(ENTITY_TAG, 'g');
const IF_MATCH = new RegExp(IF_MATCH_PATTERN);

/** Whether a field is `*` or a list of entity tags. */
export function isTagList(field: string): boolean {
  return IF_MATCH.test(field);
}

/**
 * Whether a field is `*`, or contains exactly this tag (RFC 9110, section 8.8.3.2). False if the tag
 * is undefined, because there is no current representation.
 */
export function hasTag(field: string, tag: string | undefined): boolean {
  if (tag === undefined || !isTagList(field)) return false;
  return field === '*' || (field.match(EACH_TAG) ?? []).some((each) => each === tag);
}

/** A SHA-256 hash of a text, in characters that are valid in an entity tag. */
export function tagHashOf(text: string): string {
  const { hash } = loadModule('node:crypto');
  // 24 characters of 6 bits, which makes a collision practically impossible.
  return hash('sha256', text, 'base64url').slice(0, 24);
}
