import { byteString } from '../../json/index.ts';
import { Problem } from '../messages/problem.ts';
import type { BasePath, Route } from '../messages/request.ts';
import type { HeaderFields, Response } from '../messages/response.ts';
import { uriReference } from '../messages/uri.ts';
import { intendedPath } from './intended-path.ts';

/** The order in which `Allow` lists methods. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Matches a segment, except dot segments (RFC 3986, section 5.2.4), encoded or not. */
const SEGMENT = /^(?!(?:\.|%2e){1,2}$)[^/]+$/i;

/** The routes of one path. */
export class PathRoutes {
  /** The path as a template, such as `/notes/{id}`. */
  readonly path: string;
  /** The path before its parameter, such as `/notes/`; undefined if it has none. */
  readonly #parent: string | undefined;
  readonly #routes = new Map<string, Route>();
  readonly #headers: HeaderFields;

  /**
   * Every path supports OPTIONS (RFC 9110, section 9.3.7).
   * @param listed the routes whose methods `Allow` lists
   * @throws Error if two routes have the same method
   */
  constructor(path: string, routes: readonly Route[], listed = routes) {
    this.path = path;
    this.#parent = /^(.*\/)\{\w+\}$/.exec(path)?.[1];
    const handle = () => this.options;
    for (const route of [...routes, { method: 'OPTIONS', path, produces: [], handle }]) {
      for (const method of methodsOf(route)) {
        if (this.#routes.has(method)) throw new Error(`two routes for ${method} ${path}`);
        this.#routes.set(method, route);
      }
    }
    const Allow = allowedMethods(listed);
    const patched = this.#routes.get('PATCH')?.content;
    this.#headers = { Allow, ...(patched && { 'Accept-Patch': patched.mediaTypes.join(', ') }) };
  }

  /** Whether a path is this one. */
  matches(path: string): boolean {
    if (this.#parent === undefined) return path === this.path;
    return path.startsWith(this.#parent) && SEGMENT.test(this.parameterOf(path));
  }

  /** The parameter of a path that matches, exactly as sent; empty if there is none. */
  parameterOf(path: string): string {
    return this.#parent === undefined ? '' : path.slice(this.#parent.length);
  }

  /** The route of a method; undefined if there is none. */
  route(method: string): Route | undefined {
    return this.#routes.get(method);
  }

  /** The response to OPTIONS. */
  get options(): Response {
    return { status: 204, headers: this.#headers };
  }

  /** The problem of a method without a route. It lists the methods that exist. */
  methodNotAllowed(method: string): Problem {
    const headers = this.#headers;
    const detail = `${method} is not allowed here; use one of ${headers.Allow}`;
    return new Problem('method-not-allowed', detail, { headers });
  }
}

/**
 * Finds the routes of a path, compared as it was sent. The route of GET serves HEAD. A literal
 * segment takes precedence over a parameter.
 */
export class Router<R extends Route = Route> {
  readonly routes: readonly R[];
  readonly #paths: readonly PathRoutes[];

  /** @throws Error if two routes have the same method and path */
  constructor(routes: readonly R[]) {
    this.routes = routes;
    const all = [...routes, BASE_ROUTE];
    const routesOf = (path: string) => all.filter((route) => route.path === path);
    // Sorted, literal segments come first, because `{` comes after all letters.
    const paths = [...new Set(all.map((route) => route.path))].sort();
    // The target `*` is the server itself. Only OPTIONS may use it (RFC 9112, section 3.2.4).
    const server = new PathRoutes('*', [], routes);
    this.#paths = [...paths.map((path) => new PathRoutes(path, routesOf(path))), server];
  }

  /** The routes of a path; undefined if there are none. */
  find(method: string, path: string): PathRoutes | undefined {
    if (path === '*' && method !== 'OPTIONS') return undefined;
    // Not a `Map`, because V8 interns each new string before a lookup.
    for (const each of this.#paths) if (each.matches(path)) return each;
    return undefined;
  }

  /** The known path that an unknown one probably stands for. */
  suggestPath(path: string): string | undefined {
    return intendedPath(
      path,
      this.#paths.map((each) => each.path),
    );
  }
}

/** The route of a base path. It redirects to the base with a slash, the root of all paths. */
const BASE_ROUTE: Route = {
  method: 'GET',
  path: '',
  produces: [],
  handle: ({ target, site }) => {
    const mark = target.indexOf('?');
    const query = mark === -1 ? '' : target.slice(mark);
    const Location = uriReference(`${site.basePath}/${query}`);
    return {
      status: 308,
      headers: { Location, 'Cache-Control': 'no-cache' },
      content: byteString(''),
    };
  },
};

/**
 * A base path with its routes. Found when the request is due: its header section has arrived, and
 * the response before it has been sent.
 */
export interface Site extends BasePath {
  readonly router: Router;
}

/** The site of a request before it is due. It has no routes. */
export const NO_SITE: Site = { basePath: '', router: new Router([]) };

/** The `Allow` field of a path with these routes. */
function allowedMethods(routes: readonly Pick<Route, 'method'>[]): string {
  const methods = [...routes.flatMap(methodsOf), 'OPTIONS'];
  return METHODS.filter((method) => methods.includes(method)).join(', ');
}

function methodsOf({ method }: Pick<Route, 'method'>): readonly string[] {
  return method === 'GET' ? ['GET', 'HEAD'] : [method];
}
