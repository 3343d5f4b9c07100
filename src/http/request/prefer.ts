import { splitList } from './field-list.ts';

/** The value of the first such preference (RFC 7240), in lower case; empty if it has none. */
export function preference(
  prefer: string | readonly string[] | undefined,
  name: string,
): string | undefined {
  if (prefer === undefined) return undefined;
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
