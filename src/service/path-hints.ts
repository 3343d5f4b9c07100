import { isWithin, OUTSIDE, type Request } from '../lib/http/index.ts';
import { didYouMean } from '../lib/nearest.ts';
import { ADMIN, LIVEZ, READYZ } from './reserved-paths.ts';

/** The paths of probes, which lists with a name do not have. */
const PROBES = [LIVEZ, READYZ];

/** Paths of other services, and the paths that they have here. */
const USUAL: readonly (readonly [RegExp, ...string[]])[] = [
  [/^\/(?:(?:actuator\/|_)?health(?:z|check)?|ping|status)\/?$/i, ...PROBES],
  [/^\/(?:(?:v3\/)?api-?docs|docs|swagger|openapi|redoc)(?:[-./].*)?$/i, '/openapi.json', '/'],
  [/^\/(?:admin\/)?(?:journal|requests)\/?$/i, `${ADMIN}/requests`],
  [/^\/reset\/?$/i, `${ADMIN}/reset`],
];

/**
 * Creates the function that ends the sentence about a path that no resource has.
 * @param collection the path of all items, such as `/api/todos`
 * @param probeBase the base path of probes
 */
export function createPathHint(
  collection: string,
  hasAdmin: boolean,
  probeBase: string,
): (request: Pick<Request, 'localPath' | 'site'>) => string {
  const name = collection.slice(collection.lastIndexOf('/'));
  // The path of an item or of the list, as other services have it, such as `/v1/todos/7`.
  const usualItems = new RegExp(`^(?:/api)?(?:/v\\d+)?${name}(?=/[^/]*$|$)`, 'i');
  const all = [...USUAL, [/^\/api\/?$/i, collection] as const];
  return ({ localPath, site: { basePath } }) => {
    if (localPath === OUTSIDE) return `; all paths are below ${basePath}`;
    if (isWithin(localPath, ADMIN) && !hasAdmin) return '; set ADMIN_TOKEN to have it';
    const [, ...usual] = all.find(([pattern]) => pattern.test(localPath)) ?? [];
    const suggestions = usualItems.test(localPath)
      ? [localPath.replace(/\/$/, '').replace(usualItems, collection)]
      : usual;
    if (suggestions.length === 0) return `; the items are at ${basePath}${collection}`;
    const baseOf = (each: string) => (PROBES.includes(each) ? probeBase : basePath);
    return didYouMean(...suggestions.map((each) => baseOf(each) + each));
  };
}
