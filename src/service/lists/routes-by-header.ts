import type { Request } from '../../lib/http/index.ts';
import type { Argument, DescribedRoute } from '../operation.ts';
import { serviceProblem } from '../problem-types.ts';
import { LIST_KEY } from './baggage.ts';
import { LISTS_PREFIX } from './lists.ts';

/** How the field `baggage` chooses a list: not at all, if it is there, or in each request for items. */
export type ListsByHeader = boolean | 'required';

/** The field in the API document. */
const BAGGAGE: Argument<void> = {
  parameters: [
    {
      name: 'baggage',
      in: 'header',
      description: `The member \`${LIST_KEY}=NAME\` (W3C Baggage) names the list of the request.`,
      schema: { type: 'string' },
      example: `${LIST_KEY}=anna`,
    },
  ],
  readFrom: () => undefined,
};

/** Finds the key of a list in other letters: keys have a case (W3C Baggage, section 3.2.1). */
const KEY_IN_ANY_CASE = new RegExp(`\\b${LIST_KEY}(?=\\s*=)`, 'i');

/**
 * Returns a function that adapts the routes at the base path to requests that name their list.
 * @param itemsTag the tag of the routes that `required` closes at the base path
 */
export function routesByHeader(
  byHeader: ListsByHeader,
  itemsTag: string,
): (route: DescribedRoute) => DescribedRoute {
  return (route) => {
    const { operation } = route;
    if (byHeader === false || operation.isAtBaseOnly) return route;
    const described = { ...operation, arguments: [...(operation.arguments ?? []), BAGGAGE] };
    const isClosed = byHeader === 'required' && operation.tag.name === itemsTag;
    if (!isClosed) return { ...route, operation: described };
    const errors = [...new Set([...(operation.errors ?? []), 404] as const)];
    const closed = { ...described, errors };
    return { ...route, operation: closed, checkBeforeContent: refuseWithoutList };
  };
}

/** Only requests without a name get to a route at the base path. @throws Problem */
function refuseWithoutList({ site, localPath, headers: { baggage } }: Request): never {
  const [given] = KEY_IN_ANY_CASE.exec(String(baggage)) ?? [];
  const hint = given === undefined ? '' : `; the key is ${LIST_KEY}, not ${given}`;
  throw serviceProblem(
    'list-required',
    `The request must name its list: with the field baggage: ${LIST_KEY}=NAME, or the path ` +
      `${site.basePath}${LISTS_PREFIX}NAME${localPath}${hint}`,
  );
}
