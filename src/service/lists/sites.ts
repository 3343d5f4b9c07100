import { clock } from '../../lib/clock.ts';
import { isWithin, localPathOf, type Request, Router } from '../../lib/http/index.ts';
import { ADMIN } from '../exempt-paths.ts';
import type { DescribedRoute } from '../operation.ts';
import { type Place, TodoSite } from '../todo/todo-list.ts';
import { checkListName, isListName } from './list-name.ts';
import { LISTS, type Lists } from './lists.ts';

/** The prefix of the paths that make and remove lists, in a site. */
const ADMIN_LISTS = `${ADMIN}/lists/`;

interface SiteOptions {
  /** All routes. */
  readonly routes: readonly DescribedRoute[];
  /** The path of event streams, if there are any. */
  readonly events: string | undefined;
  readonly hasToken: boolean;
}

/** Finds the site of each request. */
export class Sites {
  readonly #lists: Lists;
  readonly #options: SiteOptions;
  readonly #atBase: Router<DescribedRoute>;
  /** The routes of lists with a name. */
  readonly #inList: Router<DescribedRoute>;

  constructor(lists: Lists, options: SiteOptions) {
    this.#lists = lists;
    this.#options = options;
    const { routes } = options;
    this.#atBase = new Router(routes);
    this.#inList = new Router(routes.filter(({ operation }) => !operation.isOfProcess));
  }

  /** The site of a request that is taken up now. */
  readonly siteOf = ({ path }: Pick<Request, 'path'>): TodoSite => {
    const place = this.#placeOf(path);
    const { basePath } = place;
    const router = place === this.#lists.base ? this.#atBase : this.#inList;
    const localPath = localPathOf(path, basePath);
    // Admin requests and event streams are for the place, all others for its list.
    const isAdmin = isWithin(localPath, ADMIN);
    const isForPlace = isAdmin || localPath === this.#options.events;
    if (!isAdmin) place.lastRequestAt = clock.time();
    return new TodoSite(basePath, router, place, isForPlace ? undefined : place.list);
  };

  #placeOf(path: string): Place {
    const { base } = this.#lists;
    const name = this.#nameIn(path);
    return name === undefined ? base : (this.#lists.find(name) ?? base);
  }

  /** The name in a path; undefined if it is not below `/lists`. */
  #nameIn(path: string): string | undefined {
    const prefix = this.#lists.base.basePath + LISTS;
    return path.startsWith(prefix) ? firstSegment(path, prefix) : undefined;
  }

  /** Explains unknown paths of lists. @throws Problem `invalid-name` */
  pathHint({ method, path, localPath, site }: Request): string | undefined {
    const { hasNames, base, places } = this.#lists;
    if (!hasNames) return undefined;
    const { basePath } = base;
    const { hasToken } = this.#options;
    if (site.basePath !== basePath) {
      const isAtBase = this.#atBase.find(method, localPath) !== undefined;
      return isAtBase ? `; it may be at ${basePath}${localPath}` : undefined;
    }
    // No route has a dot segment as its parameter.
    const isAdmin = hasToken && localPath.startsWith(ADMIN_LISTS);
    if (isAdmin) checkListName(firstSegment(localPath, ADMIN_LISTS));
    if (localPath === '/lists' || localPath === LISTS) return this.#listsHint();
    const name = this.#nameIn(path);
    if (name === undefined) return undefined;
    // Without lists, an invalid name is as unknown as any other path.
    const mayHaveLists = hasToken || places.length > 1;
    if (!mayHaveLists && !isListName(name)) return undefined;
    checkListName(name);
    const how = hasToken ? `PUT ${basePath}/admin/lists/${name}` : `LISTS=${name}`;
    return `; there is no list ${name} (${how} makes it)`;
  }

  /** Explains the parent of the paths of lists. */
  #listsHint(): string | undefined {
    const { basePath } = this.#lists.base;
    const paths = this.#lists.publicNames.map((name) => `${basePath}${LISTS}${name}/`);
    if (paths.length > 0) return `; the lists of LISTS are ${paths.join(', ')}`;
    return this.#options.hasToken ? `; ${basePath}${ADMIN}/lists has all lists` : undefined;
  }
}

/** The segment of a path behind a prefix. */
function firstSegment(path: string, prefix: string): string {
  const [segment = ''] = path.slice(prefix.length).split('/', 1);
  return segment;
}
