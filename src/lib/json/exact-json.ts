/*
 * `JSON.parse` rounds some numbers: integers that are not safe, and fractions so near to an integer
 * that it makes them one. Such a number gets a stand-in in the text, which is replaced by its exact
 * value in the result. So `JSON.parse` does most of the work, and a character is examined one time.
 */

const QUOTE = 0x22;
const PLUS = 0x2b;
const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const LARGE_E = 0x45;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const SMALL_E = 0x65;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Decimals of at most this many digits are different doubles (DBL_DIG of C). */
const SAFE_DIGITS = 15;

/** An integer from here on has more than 64 bits. */
const LARGE = 1e20;

/** The digits before the point of the largest double. */
const MAX_DIGITS = 309;

/** `JSON.parse` may read zero for a number of few digits below 10 to this power. */
const LEAST_EXPONENT = -300;

/** A JSON number with a fraction whose nearest double has none, such as 2.9999999999999999. */
export class LostFraction {
  readonly double: number;

  constructor(double: number) {
    this.double = double;
  }
}

/** The nearest double of a parsed JSON number; undefined for any other value. */
export function numberIn(value: unknown): number | undefined {
  if (value instanceof LostFraction) return value.double;
  return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : undefined;
}

/**
 * The stand-in of the number with an index is 10,000,000 plus the index, times 10^12. No other number
 * of the text is from 2^53 to 10^20, because such integers are replaced.
 */
const FIRST_STAND_IN = 1e7;
const STAND_IN_UNIT = 1e12;

/** A JSON text that `JSON.parse` reads without loss. */
export interface ScannedJson {
  readonly text: string;
  /** The exact values of the numbers that have a stand-in, without their signs. */
  readonly exact: readonly (bigint | LostFraction)[];
  /** How deep arrays and objects are nested. */
  readonly depth: number;
  /** Whether the name of a member has an escape sequence. */
  readonly hasEscapedName: boolean;
}

/**
 * Replaces the numbers of a JSON text that `JSON.parse` would round. It leaves an integer of more than
 * 20 digits whose double has all of them in its shortest decimal form, such as `1e300`: nobody needs a
 * bigint to refuse it. What is not JSON stays so.
 */
export function scanJson(text: string): ScannedJson {
  const standIns = new StandIns(text);
  let [level, depth, stringStart] = [0, 0, 0];
  const hasEscapes = text.includes('\\');
  let hasEscapedName = false;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) {
      stringStart = at;
      at = hasEscapes ? endOfString(text, at) : endOfPlainString(text, at);
    } else if (unit === COLON)
      hasEscapedName ||= hasEscapes && text.slice(stringStart, at).includes('\\');
    else if (isDigit(unit)) at = standIns.replaceIfRounded(at) - 1;
    else if (unit === OPEN_BRACKET || unit === OPEN_BRACE) depth = Math.max(depth, ++level);
    else if (unit === CLOSE_BRACKET || unit === CLOSE_BRACE) level--;
  }
  return { text: standIns.text(), exact: standIns.exact, depth, hasEscapedName };
}

/** Returns the index of the quote that ends a string. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  for (; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) break;
    if (unit === BACKSLASH) at++;
  }
  return at;
}

/** The same in a text without escape sequences, where the engine finds it faster. */
function endOfPlainString(text: string, start: number): number {
  const end = text.indexOf('"', start + 1);
  return end === -1 ? text.length : end;
}

/** Replaces numbers of a text, from its beginning to its end. */
class StandIns {
  readonly exact: (bigint | LostFraction)[] = [];
  readonly #source: string;
  /** The text with stand-ins, in UTF-16 units. Made for the first one. */
  #target: Uint16Array | undefined;
  #length = 0;
  /** The index in the source of what is not yet in the target. */
  #rest = 0;

  constructor(source: string) {
    this.#source = source;
  }

  /** Replaces the number whose first digit is at an index, if it is rounded. Returns the index of its end. */
  replaceIfRounded(start: number): number {
    const source = this.#source;
    const point = endOfDigits(source, start);
    let unit = source.charCodeAt(point);
    const hasFraction = unit === DOT;
    const digitsEnd = hasFraction ? endOfDigits(source, point + 1) : point;
    if (hasFraction) unit = source.charCodeAt(digitsEnd);
    let end = digitsEnd;
    let exponent = 0;
    if (unit === SMALL_E || unit === LARGE_E) {
      const sign = source.charCodeAt(++end);
      if (sign === MINUS || sign === PLUS) end++;
      for (; isDigit(source.charCodeAt(end)); end++) {
        exponent = exponent * 10 + source.charCodeAt(end) - ZERO;
      }
      if (sign === MINUS) exponent = -exponent;
    }
    /** The number is below 10 to this power. */
    const magnitude = point - start + exponent;
    const isShort = digitsEnd - start <= SAFE_DIGITS;
    if (isShort && magnitude <= SAFE_DIGITS && magnitude >= LEAST_EXPONENT) return end;
    const hasLeadingZero = source.charCodeAt(start) === ZERO && point > start + 1;
    const endsInDigits =
      isDigit(source.charCodeAt(digitsEnd - 1)) && isDigit(source.charCodeAt(end - 1));
    const isNumber = endsInDigits && !hasLeadingZero;
    if (!isNumber) return end;
    const shift = exponent - Math.max(0, digitsEnd - point - 1);
    const exact = exactValue({ source, start, digitsEnd, end, shift });
    if (exact !== undefined) this.#replace(start, end, exact);
    return end;
  }

  #replace(start: number, end: number, value: bigint | LostFraction): void {
    // The shortest number has 4 characters and a comma, and a stand-in 11.
    this.#target ??= new Uint16Array(this.#source.length * 2.5 + 16);
    this.#copy(this.#target, start);
    this.#rest = end;
    this.#append(this.#target, FIRST_STAND_IN + this.exact.length);
    this.exact.push(value);
  }

  #copy(target: Uint16Array, end: number): void {
    const source = this.#source;
    let length = this.#length;
    for (let at = this.#rest; at < end; at++) target[length++] = source.charCodeAt(at);
    this.#length = length;
  }

  #append(target: Uint16Array, standIn: number): void {
    const start = this.#length;
    let left = standIn;
    for (let at = start + 7; at >= start; at--) {
      target[at] = ZERO + (left % 10);
      left = (left / 10) | 0;
    }
    target[start + 8] = SMALL_E;
    target[start + 9] = ZERO + 1;
    target[start + 10] = ZERO + 2;
    this.#length = start + 11;
  }

  /** Returns the text with stand-ins. */
  text(): string {
    if (!this.#target) return this.#source;
    this.#copy(this.#target, this.#source.length);
    return Buffer.from(this.#target.buffer, 0, 2 * this.#length).toString('utf16le');
  }
}

function isDigit(unit: number): boolean {
  return unit >= ZERO && unit <= NINE;
}

function endOfDigits(text: string, start: number): number {
  let at = start;
  while (isDigit(text.charCodeAt(at))) at++;
  return at;
}

/** Where a number without its sign is in a text. */
interface Numeral {
  readonly source: string;
  readonly start: number;
  /** The end of its digits, and of their fraction. */
  readonly digitsEnd: number;
  readonly end: number;
  /** The power of ten by which the digits without the point are multiplied. */
  readonly shift: number;
}

/** Returns the exact value of a number; undefined if it needs no stand-in. */
function exactValue(numeral: Numeral): bigint | LostFraction | undefined {
  const { source, start, digitsEnd, end, shift } = numeral;
  let [last, zeros] = [digitsEnd - 1, 0];
  for (; last >= start; last--) {
    const unit = source.charCodeAt(last);
    if (unit === ZERO) zeros++;
    else if (unit !== DOT) break;
  }
  const isZero = last < start;
  if (isZero) return undefined;
  const isInteger = shift + zeros >= 0;
  if (!isInteger) {
    const double = Number(source.slice(start, end));
    return Number.isInteger(double) ? new LostFraction(double) : undefined;
  }
  const isShort = digitsEnd - start <= SAFE_DIGITS;
  return isShort ? productOf(numeral) : integerOf(numeral, zeros);
}

/** Returns an integer of up to 15 digits, times a power of ten, if it is neither safe nor large. */
function productOf({ source, start, digitsEnd, shift }: Numeral): bigint | undefined {
  let digits = 0;
  for (let at = start; at < digitsEnd; at++) {
    const unit = source.charCodeAt(at);
    if (unit !== DOT) digits = digits * 10 + unit - ZERO;
  }
  const product = digits * (EXACT_POWERS[shift] ?? LARGE);
  const needsNoStandIn = product <= Number.MAX_SAFE_INTEGER || product >= LARGE;
  if (needsNoStandIn) return undefined;
  const known = products.get(product);
  if (known !== undefined) return known;
  const integer = BigInt(digits) * powerOfTen(shift);
  if (digits < 1000) products.set(product, integer);
  return integer;
}

/** Products of up to three digits by their doubles, of which a text may have a quarter million. */
const products = new Map<number, bigint>();

/** Returns an integer of more digits, of which some are zeros at the end, if it is not safe. */
function integerOf(
  { source, start, digitsEnd, end, shift }: Numeral,
  zeros: number,
): bigint | undefined {
  let digits = source.slice(start, digitsEnd).replace('.', '');
  if (digits.startsWith('0')) digits = digits.replace(/^0+/, '');
  const size = digits.length + shift;
  const needsNoStandIn = digits.length - zeros <= SAFE_DIGITS && size > 20;
  const isInfinite = size >= MAX_DIGITS && !Number.isFinite(Number(source.slice(start, end)));
  if (needsNoStandIn || isInfinite) return undefined;
  let integer = BigInt(shift < 0 ? digits.slice(0, shift) : digits);
  if (shift > 0) integer *= powerOfTen(shift);
  return integer > Number.MAX_SAFE_INTEGER ? integer : undefined;
}

/** Powers of ten that are exact doubles. */
const EXACT_POWERS = Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));

/** All powers of ten that were needed. */
const bigintPowers: bigint[] = [];

function powerOfTen(exponent: number): bigint {
  const power = bigintPowers[exponent] ?? 10n ** BigInt(exponent);
  bigintPowers[exponent] = power;
  return power;
}

/** Replaces the stand-ins in a value, in place, by the exact values. */
export function withExactValues(value: unknown, exact: ScannedJson['exact']): unknown {
  if (typeof value === 'number') {
    const found = exact[Math.round(Math.abs(value) / STAND_IN_UNIT) - FIRST_STAND_IN];
    if (found === undefined) return value;
    if (value > 0) return found;
    return found instanceof LostFraction ? new LostFraction(-found.double) : -found;
  }
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const before: unknown = value[i];
      const after = withExactValues(before, exact);
      if (after !== before) value[i] = after;
    }
  } else if (isObject(value)) {
    for (const name in value) {
      const before = value[name];
      const after = withExactValues(before, exact);
      if (after !== before) value[name] = after;
    }
  }
  return value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
