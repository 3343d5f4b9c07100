/** Shows that a value was sent, in place of a secret. */
const MASK = '[…]';

/** Header fields that hold credentials. */
const CREDENTIALS = /^(proxy-)?authorization$|^cookie$/i;

/** Parts of secret names, which are compared without letter case, `-` and `_`. */
const PARTS = /token|secret|apikey|passw(or)?d|credential|jwt|session|signature/i;

/** Words that make a name secret, also beside `_` and in camel case. */
const ANY = /auth|pwd|sig/i;
const WORDS = /\b(auth|pwd|sig)\b/i;
const WORD_BREAK = /_|(?<=[a-z\d])(?=[A-Z])/g;

/** Whether the name of a header field or a parameter says that its value is a secret. */
function isSecret(name: string): boolean {
  if (PARTS.test(name.replace(/[-_]/g, ''))) return true;
  return ANY.test(name) && WORDS.test(name.replace(WORD_BREAK, ' '));
}

/** Replaces secrets in what is shown of requests, by the names of header fields and parameters. */
export interface Masks {
  /** The value of a header field, as it may be shown. */
  field(name: string, value: string): string;
  /** A request target or a URI, without the values of secret parameters. */
  target(text: string): string;
}

/** @param members the members of items, whose filters are shown */
export function createMasks(members: readonly string[]): Masks {
  /** Filters have an operator behind the name of a member. */
  const isMember = (name: string) => members.includes(name.replace(/\..*/s, ''));

  function shown(pair: string): string {
    const [sent = '', value] = pair.split('=', 2);
    const name = decoded(sent);
    return value !== undefined && isSecret(name) && !isMember(name) ? `${sent}=${MASK}` : pair;
  }

  function target(text: string): string {
    const start = text.indexOf('?') + 1;
    if (start === 0) return text;
    return text.slice(0, start) + text.slice(start).split('&').map(shown).join('&');
  }

  function field(name: string, value: string): string {
    if (CREDENTIALS.test(name) || isSecret(name)) return MASK;
    return /^referer$/i.test(name) ? target(value) : value;
  }
  return { field, target };
}

function decoded(text: string): string {
  if (!/[%+]/.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
