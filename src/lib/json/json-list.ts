import {
  JsonTooDeepError,
  MAX_JSON_DEPTH,
  MalformedJsonError,
  parseJson,
  startOfText,
} from './json-object.ts';

/** A list in a JSON text, of which the elements are not parsed yet. */
export interface JsonList {
  /** The name of the member that is the list; none if the text is. */
  readonly path: readonly string[];
  /** The names of the other members. */
  readonly others: readonly string[];
  readonly length: number;
  /** Undefined if the element is nested more than {@link MAX_JSON_DEPTH} deep. */
  elementText(index: number): string | undefined;
}

const STEP_BYTES = 32 * 1024;

const [SPACE, QUOTE, COMMA, COLON, BACKSLASH] = [0x20, 0x22, 0x2c, 0x3a, 0x5c];
const [OPENING_BRACKET, CLOSING_BRACKET, OPENING_BRACE, CLOSING_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];
const PUNCTUATION: ReadonlySet<number> = new Set(Buffer.from('",:[]{}'));

/** Pairs of where elements start and end: where they start if they are nested too deeply. */
type Bounds = readonly number[];

/**
 * Finds a list in a JSON text, in steps: the text is an array, or an object of which exactly one
 * member is one; else undefined. Whether its elements are JSON shows when each is parsed.
 * @throws MalformedJsonError when the bytes are not UTF-8, or anything else is not JSON or too deep
 */
export function* findJsonList(bytes: Buffer): Generator<undefined, JsonList | undefined> {
  let at = startOfText(bytes);
  let stepEnd = at + STEP_BYTES;
  const lists = new Map<string, Bounds>();
  const others = new Set<string>();

  const first = next();
  if (first === OPENING_BRACKET) lists.set('', yield* list());
  else if (first === OPENING_BRACE) yield* separated(CLOSING_BRACE, member);
  else {
    parseJson(text(at, bytes.length));
    return undefined;
  }
  if (next() !== undefined) throw unexpected();
  const [[name = '', bounds] = []] = lists;
  if (bounds === undefined || lists.size > 1) return undefined;
  return {
    path: first === OPENING_BRACE ? [name] : [],
    others: [...others],
    length: bounds.length / 2,
    elementText: (index) => text(bounds[2 * index] ?? 0, bounds[2 * index + 1] ?? 0) || undefined,
  };

  function text(start: number, end: number): string {
    return bytes.toString('utf8', start, end);
  }

  /** The next byte that is not white space; undefined at the end. */
  function next(): number | undefined {
    let byte = bytes[at];
    while (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) byte = bytes[++at];
    return byte;
  }

  /** Passes over what is between brackets or braces, and the commas there. */
  function* separated(closing: number, element: () => Generator<undefined, void>) {
    at++;
    if (next() === closing) {
      at++;
      return;
    }
    for (;;) {
      yield* element();
      if (isStepOver()) yield;
      const byte = next();
      if (byte !== COMMA && byte !== closing) throw unexpected();
      at++;
      if (byte === closing) return;
    }
  }

  /** Whether a step has passed over enough; the next one begins then. */
  function isStepOver(): boolean {
    if (at < stepEnd) return false;
    stepEnd = at + STEP_BYTES;
    return true;
  }

  function* member(): Generator<undefined, void> {
    if (next() !== QUOTE) throw unexpected();
    const start = at;
    string();
    const name = String(parseJson(text(start, at)));
    if (next() !== COLON) throw unexpected();
    at++;
    lists.delete(name);
    others.delete(name);
    if (next() === OPENING_BRACKET) lists.set(name, yield* list());
    else {
      const valueStart = at;
      if (yield* value()) throw new JsonTooDeepError(MAX_JSON_DEPTH);
      parseJson(text(valueStart, at));
      others.add(name);
    }
  }

  function* list(): Generator<undefined, Bounds> {
    const bounds: number[] = [];
    yield* separated(CLOSING_BRACKET, function* () {
      next();
      const start = at;
      const isTooDeep = yield* value();
      bounds.push(start, isTooDeep ? start : at);
    });
    return bounds;
  }

  /**
   * Passes over a value, of which only strings, brackets and braces are looked at.
   * @returns whether it is nested too deeply
   */
  function* value(): Generator<undefined, boolean> {
    let depth = 0;
    let isTooDeep = false;
    do {
      const byte = next();
      if (byte === QUOTE) string();
      else if (byte === OPENING_BRACKET || byte === OPENING_BRACE) {
        depth++;
        isTooDeep ||= depth > MAX_JSON_DEPTH;
        at++;
      } else if (depth > 0 && (byte === CLOSING_BRACKET || byte === CLOSING_BRACE)) {
        depth--;
        at++;
      } else if (depth > 0 && (byte === COMMA || byte === COLON)) at++;
      else scalar();
      if (isStepOver()) yield;
    } while (depth > 0);
    return isTooDeep;
  }

  function string(): void {
    for (at++; bytes[at] !== QUOTE; at++) {
      if (bytes[at] === BACKSLASH) at++;
      if (at >= bytes.length) throw unexpected();
    }
    at++;
  }

  function scalar(): void {
    const start = at;
    for (let byte = bytes[at]; byte !== undefined && byte > SPACE; byte = bytes[++at]) {
      if (PUNCTUATION.has(byte)) break;
    }
    // A byte that cannot be part of a value would stop the reader for ever.
    if (at === start) throw unexpected();
  }

  function unexpected(): MalformedJsonError {
    if (at >= bytes.length) return new MalformedJsonError('is not JSON (it ends too soon)');
    const seen = JSON.stringify(text(at, at + 1).toWellFormed());
    return new MalformedJsonError(`is not JSON (unexpected ${seen} at byte ${at})`);
  }
}
