import type { Route } from '../core/request.ts';
import { uriReference } from '../core/uri.ts';

/** The route of the base itself, which redirects to it with a slash: there the paths begin. */
export function baseRoutes(base: string): readonly Route[] {
  if (base === '') return [];
  const handle: Route['handle'] = ({ target }) => {
    const mark = target.indexOf('?');
    const query = mark === -1 ? '' : target.slice(mark);
    const headers = { Location: uriReference(`${base}/${query}`), 'Cache-Control': 'no-cache' };
    return { status: 308, headers };
  };
  return [{ method: 'GET', path: '', produces: [], handle }];
}
