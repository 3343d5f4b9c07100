import { LostFraction } from '../../../../../src/lib/json/exact-json.ts';

/**
 * Parses a JSON text that `JSON.parse` accepts, character by character, with a bigint for each integer
 * that is not safe. A number with a fraction is not an integer, and of repeated members, the last one
 * counts.
 */
export function exactlyParsed(text: string): unknown {
  let at = 0;
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
    forEachIn(']', () => elements.push(value()));
    return elements;
  }

  function object(): unknown {
    const members = new Map<string, unknown>();
    forEachIn('}', () => {
      const name: string = JSON.parse(scalar());
      next();
      // Skips the colon.
      at++;
      members.set(name, value());
    });
    return Object.fromEntries(members);
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
    while (/\s/.test(text[at] ?? '')) at++;
    return text[at];
  }

  function scalar(): string {
    const start = at;
    if (text[at] === '"') {
      for (at++; text[at] !== '"'; at++) if (text[at] === '\\') at++;
      at++;
    } else {
      while (/[^\s,\]}]/.test(text[at] ?? ',')) at++;
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

/** The value of an integer that a double can be as large as; undefined if it has a fraction. */
function exactInteger(source: string): bigint | undefined {
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source) ?? [];
  const digits = BigInt(whole + fraction);
  const shift = Number(exponent) - fraction.length;
  if (digits === 0n) return 0n;
  if (!Number.isFinite(Number(source)) || shift < -400) return undefined;
  const power = 10n ** BigInt(Math.abs(shift));
  if (shift < 0 && digits % power !== 0n) return undefined;
  const size = shift < 0 ? digits / power : digits * power;
  return sign === '-' ? -size : size;
}
