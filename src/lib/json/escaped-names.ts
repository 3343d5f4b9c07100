const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const NINE = 0x39;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** How a member named `__proto__` is defined, which would set the prototype. */
const OWN = { configurable: true, enumerable: true, writable: true };

/**
 * Parses a JSON text that `JSON.parse` accepts, because of its escaped names: in place of one, V8 may
 * read the name of an earlier object that has a backslash (https://github.com/nodejs/node/issues/63785).
 */
export function parsedWithEscapedNames(text: string): unknown {
  let at = 0;
  return value();

  function value(): unknown {
    const unit = next();
    if (unit === QUOTE) return string();
    if (unit === OPEN_BRACKET) return array();
    return unit === OPEN_BRACE ? object() : numberOrWord(unit);
  }

  function array(): unknown[] {
    const elements: unknown[] = [];
    for (at++; next() !== CLOSE_BRACKET; skipComma()) elements.push(value());
    at++;
    return elements;
  }

  function object(): Record<string, unknown> {
    const members: Record<string, unknown> = {};
    for (at++; next() !== CLOSE_BRACE; skipComma()) {
      const name = string();
      next();
      // Behind the colon.
      at++;
      const member = value();
      if (name === '__proto__') Object.defineProperty(members, name, { ...OWN, value: member });
      else members[name] = member;
    }
    at++;
    return members;
  }

  function string(): string {
    const start = at++;
    for (let unit = text.charCodeAt(at); unit !== QUOTE; unit = text.charCodeAt(at)) {
      at += unit === BACKSLASH ? 2 : 1;
    }
    at++;
    // Also without escape sequences, because a part of the text would keep all of it in memory.
    return JSON.parse(text.slice(start, at));
  }

  function numberOrWord(first: number): unknown {
    const start = at;
    let unit = first;
    while (unit > SPACE && unit !== COMMA && unit !== CLOSE_BRACKET && unit !== CLOSE_BRACE) {
      unit = text.charCodeAt(++at);
    }
    const source = text.slice(start, at);
    return first <= NINE ? Number(source) : JSON.parse(source);
  }

  /** Skips white space. @returns the UTF-16 unit behind it; NaN at the end */
  function next(): number {
    let unit = text.charCodeAt(at);
    while (unit <= SPACE) unit = text.charCodeAt(++at);
    return unit;
  }

  function skipComma(): void {
    if (next() === COMMA) at++;
  }
}
