import { Problem } from '../core/problem.ts';
import type { Route } from '../core/request.ts';
import type { HeaderFields } from '../core/response.ts';

/** The order in which `Allow` lists methods. */
const METHODS = ['GET', 'HEAD', 'QUERY', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** What a parameter matches: a segment, but no dot segment, not even an encoded one. */
const SEGMENT = '((?!(?:[.]|%2[eE]){1,2}(?:/|$))[^/]+)';

/** The routes of one path. */
export class PathRoutes {
  /** The path as a template, such as `/api/todos/{id}`. */
  readonly path: string;
  /** Matches its paths, with the values of the parameters. */
  readonly pattern: RegExp;
  /** Header fields of every response for this path; undefined if there are none. */
  readonly fields: HeaderFields | undefined;
  readonly #routes = new Map<string, Route>();
  readonly #headers: HeaderFields;

  /**
   * Every path supports OPTIONS (RFC 9110, section 9.3.7).
   * @param listed the routes of which `Allow` lists the methods
   * @throws Error if two routes have the same method
   */
  constructor(path: string, routes: readonly Route[], listed = routes) {
    this.path = path;
    const source = path.replace(/\{\w+\}|\W/g, (part) => (part.length > 1 ? SEGMENT : `\\${part}`));
    this.pattern = new RegExp(`^${source}$`);
    const handle = () => ({ status: 204, headers: this.#headers });
    for (const route of [...routes, { method: 'OPTIONS', path, produces: [], handle }]) {
      for (const method of methodsOf(route)) {
        if (this.#routes.has(method)) throw new Error(`two routes for ${method} ${path}`);
        this.#routes.set(method, route);
      }
    }
    const methods = [...listed.flatMap(methodsOf), 'OPTIONS'];
    const Allow = METHODS.filter((method) => methods.includes(method)).join(', ');
    this.#headers = { Allow, ...this.#acceptField('PATCH', 'Accept-Patch') };
    this.fields = this.#acceptField('QUERY', 'Accept-Query');
  }

  /** The field with the media types that a method accepts; undefined if there is no route. */
  #acceptField(method: string, field: string): HeaderFields | undefined {
    const route = this.#routes.get(method);
    return route && { [field]: (route.accepts ?? []).join(', ') };
  }

  /** @throws Problem `method-not-allowed`, with the methods that exist */
  route(method: string): Route {
    const route = this.#routes.get(method);
    if (route !== undefined) return route;
    const headers = this.#headers;
    const detail = `${method} is not allowed here; use one of ${headers.Allow}`;
    throw new Problem('method-not-allowed', detail, { headers });
  }
}

/** The endpoint of a path, and the values of its parameters, exactly as sent. */
interface Match {
  readonly endpoint: PathRoutes;
  readonly params: readonly string[];
}

/**
 * Finds the endpoint of a path, which is compared as sent: nothing is decoded or normalised, so a
 * trailing slash, a doubled slash or a dot segment makes a different path. HEAD is served by the
 * route of GET. A literal segment takes precedence over a parameter.
 */
export class Router {
  readonly #literal = new Map<string, PathRoutes>();
  readonly #withParameters: PathRoutes[] = [];
  readonly #server: PathRoutes;

  /** @throws Error if two routes have the same method and path */
  constructor(routes: readonly Route[]) {
    this.#server = new PathRoutes('*', [], routes);
    // A parameter's brace comes after all letters.
    for (const path of [...new Set(routes.map((route) => route.path))].sort()) {
      const endpoint = new PathRoutes(
        path,
        routes.filter((route) => route.path === path),
      );
      if (path.includes('{')) this.#withParameters.push(endpoint);
      else this.#literal.set(path, endpoint);
    }
  }

  /**
   * `*`, which only OPTIONS may use (RFC 9112, section 3.2.4), is the server itself.
   * @throws Problem `unknown-path`
   */
  match(method: string, path: string): Match {
    if (path === '*' && method === 'OPTIONS') return { endpoint: this.#server, params: [] };
    const match = this.#find(path);
    if (match !== undefined) return match;
    throw new Problem('unknown-path', `No resource has the path ${path}`);
  }

  /** The header fields of every response for a path, even to a request that is malformed. */
  fieldsOf(path: string): HeaderFields | undefined {
    return this.#find(path)?.endpoint.fields;
  }

  #find(path: string): Match | undefined {
    const literal = this.#literal.get(path);
    if (literal !== undefined) return { endpoint: literal, params: [] };
    for (const endpoint of this.#withParameters) {
      const match = endpoint.pattern.exec(path);
      if (match !== null) return { endpoint, params: match.slice(1) };
    }
    return undefined;
  }
}

function methodsOf({ method }: Route): readonly string[] {
  return method === 'GET' ? ['GET', 'HEAD'] : [method];
}
