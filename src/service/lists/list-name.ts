import { serviceProblem } from '../problem-types.ts';

/** The maximum number of lists with a name. */
export const MAX_LISTS = 100;

/** The characters of a name: a segment of a path as clients send it (RFC 3986, section 2.3). */
export const NAME_PATTERN = '^[A-Za-z0-9._~-]{1,64}$';

const NAME = new RegExp(NAME_PATTERN);

/** Whether a text can be the name of a list. Dot segments cannot. */
export function isListName(text: string): boolean {
  return NAME.test(text) && text !== '.' && text !== '..';
}

/** The problem of a text that cannot be the name of a list. */
export const INVALID_NAME = serviceProblem(
  'invalid-name',
  'The name of a list must be 1 to 64 of A-Z a-z 0-9 . _ - ~, not percent-encoded, and not . or ..',
);

/** @throws Problem `invalid-name` */
export function checkListName(text: string): void {
  if (!isListName(text)) throw INVALID_NAME;
}
