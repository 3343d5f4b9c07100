import { clock } from '../../lib/clock.ts';
import {
  isWithin,
  localPathOf,
  Problem,
  type Request,
  type RequestHead,
  type Response,
  Router,
} from '../../lib/http/index.ts';
import { ListSite, type Mount } from '../items/item-list.ts';
import type { DescribedRoute } from '../operation.ts';
import { ADMIN } from '../reserved-paths.ts';
import { listInBaggage } from './baggage.ts';
import { checkListName, isListName } from './list-name.ts';
import { LISTS_PREFIX, type Lists } from './lists.ts';
import { type ListsByHeader, routesByHeader } from './routes-by-header.ts';

/** The prefix of the paths that make and remove lists, below the base path. */
const ADMIN_LISTS = `${ADMIN}/lists/`;

/** Matches the prefix of the paths of a list with a name. */
const NAMED_LIST = new RegExp(`^${LISTS_PREFIX}[^/]*`);

/** The routes for a list that does not exist. */
const NO_ROUTES = new Router<DescribedRoute>([]);

/** The routes of the service, and the ways to choose a list. */
interface SiteOptions {
  /** All routes. */
  readonly routes: readonly DescribedRoute[];
  /** The path of event streams, if there are any. */
  readonly events: string | undefined;
  /** Whether there is an admin token, so that `/admin` exists. */
  readonly hasToken: boolean;
  /** Whether the field `baggage` can choose a list, or has to (testing.md: "By header"). */
  readonly byHeader: ListsByHeader;
  /** The tag of the routes that `required` is about. */
  readonly itemsTag: string;
}

/** Finds the site of each request: its mount, its list, and the routes there. */
export class Sites {
  readonly #lists: Lists;
  readonly #options: SiteOptions;
  /** The prefix of the paths of lists with a name. */
  readonly #listsPath: string;
  /** All routes, for requests at the base path. */
  readonly #baseRouter: Router<DescribedRoute>;
  /** The routes of a list with a name. */
  readonly #listRouter: Router<DescribedRoute>;
  /** The routes that are not for a list, which the field `baggage` does not change. */
  readonly #processRouter: Router<DescribedRoute>;

  constructor(lists: Lists, options: SiteOptions) {
    this.#lists = lists;
    this.#options = options;
    this.#listsPath = lists.base.basePath + LISTS_PREFIX;
    const { routes, byHeader, itemsTag } = options;
    this.#baseRouter = new Router(routes.map(routesByHeader(byHeader, itemsTag)));
    this.#listRouter = new Router(routes.filter(({ operation }) => !operation.isAtBaseOnly));
    this.#processRouter = new Router(routes.filter(({ operation }) => operation.isAtBaseOnly));
  }

  /** The site of a request that is due. Records the time of the request in its mount. */
  readonly siteOf = (request: RequestHead): ListSite => {
    const { base } = this.#lists;
    const router = this.#listRouter;
    const inPath = this.#mountOf(this.#nameInPath(request.path));
    if (inPath !== undefined) return this.#newSite(request, inPath.basePath, router, inPath);
    const { basePath } = base;
    const name = this.#nameInHeader(request);
    if (name === undefined) return this.#newSite(request, basePath, this.#baseRouter, base);
    const inHeader = this.#mountOf(name);
    if (inHeader !== undefined) return this.#newSite(request, basePath, router, inHeader);
    // A request for another list must not reach the one at the base. If the name is a problem,
    // `pathHint` throws it.
    return new ListSite(basePath, NO_ROUTES, base, undefined);
  };

  /** Creates a site. A request that is not for `/admin` counts as the last one of its mount. */
  #newSite(
    { path }: RequestHead,
    basePath: string,
    router: Router<DescribedRoute>,
    mount: Mount,
  ): ListSite {
    const localPath = localPathOf(path, basePath);
    // Admin requests and event streams use whichever list is in the mount when they act.
    const isAdmin = isWithin(localPath, ADMIN);
    const isForMount = isAdmin || localPath === this.#options.events;
    if (!isAdmin) mount.lastRequestAt = clock.time();
    return new ListSite(basePath, router, mount, isForMount ? undefined : mount.list);
  }

  /** The mount of a list with a name; undefined without a name, or a list. */
  #mountOf(name: string | Problem | undefined): Mount | undefined {
    return typeof name === 'string' ? this.#lists.mountOf(name) : undefined;
  }

  /** The name in a path; undefined if it is not below `/lists`. */
  #nameInPath(path: string): string | undefined {
    const isBelow = path.startsWith(this.#listsPath);
    return isBelow ? firstSegment(path, this.#listsPath) : undefined;
  }

  /** The name in the field `baggage`, or its problem; undefined if the field has no effect. */
  #nameInHeader({ method, path, headers: { baggage } }: RequestHead): string | Problem | undefined {
    if (this.#options.byHeader === false || typeof baggage !== 'string') return undefined;
    const localPath = localPathOf(path, this.#lists.base.basePath);
    const isAtBaseOnly = this.#processRouter.find(method, localPath) !== undefined;
    return isAtBaseOnly || localPath.startsWith(LISTS_PREFIX) ? undefined : listInBaggage(baggage);
  }

  /**
   * Explains an unknown path if lists are the reason: the end of the detail of its error.
   * @throws Problem of a name, or of the field `baggage`
   */
  pathHint(request: Request): string | undefined {
    const { base, mounts } = this.#lists;
    const { basePath } = base;
    const { method, path, localPath, site } = request;
    const { hasToken } = this.#options;
    if (site.basePath !== basePath) {
      const isAtBase = this.#baseRouter.find(method, localPath) !== undefined;
      return isAtBase ? `; it may be at ${basePath}${localPath}` : undefined;
    }
    // A name that is a dot segment has no route, so it is checked only here.
    const isAdmin = hasToken && localPath.startsWith(ADMIN_LISTS);
    if (isAdmin) checkListName(firstSegment(localPath, ADMIN_LISTS));
    if (localPath === '/lists' || localPath === LISTS_PREFIX) return this.#listsHint();
    const name = this.#nameInPath(path) ?? this.#nameInHeader(request);
    if (name instanceof Problem) throw name;
    if (name === undefined || this.#mountOf(name) !== undefined) return undefined;
    // Without lists, an invalid name is as unknown as any other path.
    const mayHaveLists = hasToken || mounts.length > 1;
    if (!mayHaveLists && !isListName(name)) return undefined;
    checkListName(name);
    const remedy = hasToken ? `PUT ${basePath}${ADMIN_LISTS}${name}` : `LISTS=${name}`;
    return `; there is no list ${name} (${remedy} makes it)`;
  }

  /** Explains `/lists` itself, which has no route. */
  #listsHint(): string | undefined {
    const { basePath } = this.#lists.base;
    const paths = this.#lists.publicNames.map((name) => `${basePath}${LISTS_PREFIX}${name}/`);
    if (paths.length > 0) return `; the lists of LISTS are ${paths.join(', ')}`;
    return this.#options.hasToken ? `; ${basePath}${ADMIN}/lists has all lists` : undefined;
  }

  /**
   * Responds to OPTIONS of an unknown path: with the methods that the path has in a list, or else
   * with those that any path has.
   */
  optionsOf(request: Pick<Request, 'localPath'>): Response | undefined {
    const path = request.localPath.replace(NAMED_LIST, '');
    const routes = this.#listRouter.find('OPTIONS', path) ?? this.#listRouter.find('OPTIONS', '*');
    return routes?.options;
  }
}

/** The segment of a path behind a prefix. */
function firstSegment(path: string, prefix: string): string {
  const [segment = ''] = path.slice(prefix.length).split('/', 1);
  return segment;
}
