import { Problem } from '../../lib/http/index.ts';
import { serviceProblem } from '../problem-types.ts';
import { INVALID_NAME, isListName } from './list-name.ts';

/** The key of the member that names a list. */
export const LIST_KEY = 'todo-list';

/** A token (RFC 9110, section 5.6.2), and a value (W3C Baggage, section 3.2.1.1). */
const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const VALUE = '[\\x21\\x23-\\x2b\\x2d-\\x3a\\x3c-\\x5b\\x5d-\\x7e]*';

/** The key and the value of a member. */
const PAIR = new RegExp(`^(${TOKEN})[ \\t]*=[ \\t]*(${VALUE})$`);
/** A property behind them, whose value may be absent. */
const PROPERTY = new RegExp(`^${TOKEN}(?:[ \\t]*=[ \\t]*${VALUE})?$`);

/**
 * The name of the list in a field `baggage`; undefined if it names none. A problem if the name is
 * invalid, if there are several, or if the field cannot be parsed. A field without the key is not
 * parsed, because other tools may have sent it.
 */
export function listInBaggage(field: string): string | Problem | undefined {
  if (!field.includes(LIST_KEY)) return undefined;
  const names = new Set<string>();
  for (const member of field.split(',')) {
    // A list may have empty elements (RFC 9110, section 5.6.1.2).
    if (member.trim() === '') continue;
    const [pair = '', ...properties] = member.split(';').map((part) => part.trim());
    const [, key, value] = PAIR.exec(pair) ?? [];
    if (value === undefined || !properties.every((property) => PROPERTY.test(property))) {
      const rule = `must consist of members such as ${LIST_KEY}=anna, separated by commas (W3C Baggage)`;
      return new Problem('malformed-request', `The field baggage with ${LIST_KEY} ${rule}`);
    }
    if (key === LIST_KEY) names.add(value);
  }
  const [name, ...others] = names;
  if (others.length > 0) {
    return serviceProblem('invalid-name', `The field baggage must name one list by ${LIST_KEY}`);
  }
  return name === undefined || isListName(name) ? name : INVALID_NAME;
}
