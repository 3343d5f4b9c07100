/** Shows that a value was sent, in place of a secret. */
const MASK = '[…]';

/** Header fields that hold credentials. */
const CREDENTIALS = /^(?:(?:proxy-)?authorization|cookie)$/i;

/** Parts of secret names, which are compared without letter case, `-` and `_`. */
const PARTS = /token|secret|apikey|password|passwd|credential|jwt|session|signature/;

/** Words that make a name secret. */
const WORDS = ['auth', 'pwd', 'sig'];

/** Whether the name of a header field or a parameter says that its value is a secret. */
function isSecret(name: string): boolean {
  const words = name.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase();
  return (
    PARTS.test(name.toLowerCase().replaceAll(/[-_]/g, '')) ||
    words.split(/[^a-z0-9]+/).some((word) => WORDS.includes(word))
  );
}

/** Replaces secrets in what is shown of requests, by the names of header fields and parameters. */
export class Masks {
  readonly #members: readonly string[];

  /** @param members the members of items, whose filters are shown */
  constructor(members: readonly string[]) {
    this.#members = members;
  }

  /** The value of a header field, as it may be shown. */
  field(name: string, value: string): string {
    if (CREDENTIALS.test(name) || isSecret(name)) return MASK;
    return name.toLowerCase() === 'referer' ? this.target(value) : value;
  }

  /** A request target or a URI, without the values of secret parameters. */
  target(text: string): string {
    const [path = '', ...query] = text.split('?');
    if (query.length === 0) return text;
    const pairs = query.join('?').split('&');
    return `${path}?${pairs.map((pair) => this.#shown(pair)).join('&')}`;
  }

  /** A pair of a query string. Filters have an operator behind the name of a member. */
  #shown(pair: string): string {
    const [sent = '', value] = pair.split('=', 2);
    const name = decoded(sent);
    const isMember = this.#members.includes(name.replace(/\..*$/s, ''));
    return value === undefined || isMember || !isSecret(name) ? pair : `${sent}=${MASK}`;
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
