import { IF_MATCH_PATTERN } from '../request/preconditions.ts';
import type { Argument } from './operation.ts';

/** The conditions of a read request, which the middleware checks. */
export const readConditions = conditions('the response is 304');

/** The conditions of a write request, which its handler checks within its transaction. */
export const writeConditions = conditions('the response is 412');

function conditions(otherwise: string): Argument<void> {
  return {
    parameters: [
      {
        name: 'If-Match',
        in: 'header',
        description:
          'Entity tags, separated by commas, or `*` for any. Unless one of them is current ' +
          '(strong comparison), the response is 412.',
        schema: { type: 'string', pattern: IF_MATCH_PATTERN },
        example: '*',
      },
      {
        name: 'If-None-Match',
        in: 'header',
        description: `Entity tags, separated by commas, or \`*\`. If one is current, ${otherwise}.`,
        // One that cannot be parsed is ignored.
        schema: { type: 'string' },
        example: '"xyzzy"',
      },
    ],
    problems: ['invalid-precondition', 'precondition-failed'],
    of: () => undefined,
  };
}
