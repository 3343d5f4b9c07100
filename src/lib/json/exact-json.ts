/** Called with the path of a member whose name is repeated in its object. */
export type OnRepeated = (path: readonly (string | number)[]) => void;

const SPACE = 0x20;

const NUMBER_OR_WORD = /[^ \t\n\r,\]}]+/y;

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
 * Parses a JSON text that `JSON.parse` accepts, with the exact values of numbers: a large integer
 * is a bigint, and a number with a fraction never an integer. Of repeated members, the last one
 * counts.
 */
export function exactValueOf(text: string, onRepeated?: OnRepeated): unknown {
  let at = 0;
  const path: (string | number)[] = [];
  return value();

  function value(): unknown {
    const first = next();
    if (first === '[') return array();
    if (first === '{') return object();
    const source = scalar();
    return /^[-0-9]/.test(source) ? exactNumber(source) : JSON.parse(source);
  }

  function array(): readonly unknown[] {
    const elements: unknown[] = [];
    forEachIn(']', () => elements.push(valueAt(elements.length)));
    return elements;
  }

  function object(): unknown {
    const members = new Map<string, unknown>();
    forEachIn('}', () => {
      const name = String(JSON.parse(scalar()));
      next();
      // Skips the colon.
      at++;
      if (members.has(name)) onRepeated?.([...path, name]);
      members.set(name, valueAt(name));
    });
    return Object.fromEntries(members);
  }

  function valueAt(name: string | number): unknown {
    path.push(name);
    const found = value();
    path.pop();
    return found;
  }

  function forEachIn(end: string, readItem: () => void): void {
    at++;
    while (next() !== end) {
      readItem();
      if (next() === ',') at++;
    }
    at++;
  }

  /** The next character that is not white space. */
  function next(): string | undefined {
    while (text.charCodeAt(at) <= SPACE) at++;
    return text[at];
  }

  function scalar(): string {
    const start = at;
    if (text[at] === '"') {
      // Not a pattern, because many escapes would overflow the stack of its engine.
      for (at++; text[at] !== '"'; at++) if (text[at] === '\\') at++;
      at++;
    } else {
      NUMBER_OR_WORD.lastIndex = at;
      NUMBER_OR_WORD.test(text);
      at = NUMBER_OR_WORD.lastIndex;
    }
    return text.slice(start, at);
  }
}

function exactNumber(source: string): number | bigint | LostFraction {
  const integer = exactInteger(source);
  const rounded = Number(source);
  if (integer !== undefined) return Number.isSafeInteger(rounded) ? rounded : integer;
  return Number.isInteger(rounded) ? new LostFraction(rounded) : rounded;
}

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** The digits of the largest number that `JSON.parse` can read. */
const MAX_DIGITS = 309;

/**
 * The value of a JSON number; undefined unless it is an integer of at most 309 digits. Appends the
 * zeros of a positive exponent, and removes those of a negative one.
 */
function exactInteger(text: string): bigint | undefined {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  if (digits === '') return 0n;
  const zeros = Number(exponent) - fraction.length;
  if (digits.length + zeros > MAX_DIGITS) return undefined;
  if (zeros >= 0) return BigInt(`${sign}${digits}${'0'.repeat(zeros)}`);
  if (-zeros > digits.length || /[^0]/.test(digits.slice(zeros))) return undefined;
  return BigInt(`${sign}${digits.slice(0, zeros) || '0'}`);
}
