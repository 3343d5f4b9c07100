import { Problem } from '../core/problem.ts';
import type { Route } from '../core/request.ts';
import type { HeaderFields } from '../core/response.ts';

/** The routes of one path. */
export class PathRoutes {
  /** The path as a template, such as `/api/todos/{id}`. */
  readonly path: string;
  /** Header fields of every response for this path; undefined if there are none. */
  fields: HeaderFields | undefined;
  readonly #routes = new Map<string, Route>();
  readonly #headers: Record<string, string> = {};

  /** Every endpoint supports OPTIONS (RFC 9110, section 9.3.7). */
  constructor(path: string) {
    this.path = path;
    const handle = () => ({ status: 204, headers: this.#headers });
    this.add({ method: 'OPTIONS', path, produces: [], handle });
  }

  /** @throws Error if there is a route with the same method */
  add(route: Route): void {
    for (const method of methodsOf(route)) {
      if (this.#routes.has(method)) throw new Error(`two routes for ${method} ${this.path}`);
      this.#routes.set(method, route);
    }
    this.allow([...this.#routes.keys()]);
    const accepts = (route.accepts ?? []).join(', ');
    if (route.method === 'PATCH') this.#headers['Accept-Patch'] = accepts;
    if (route.method === 'QUERY') this.fields = { 'Accept-Query': accepts };
  }

  /** Sets the methods that exist. */
  allow(methods: readonly string[]): void {
    this.#headers.Allow = METHODS.filter((method) => methods.includes(method)).join(', ');
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

/** A node in the tree of path segments. A literal segment takes precedence over a parameter. */
interface Node {
  /** Few, so comparing with each is faster than cutting a segment out and hashing it. */
  readonly literals: { readonly segment: string; readonly node: Node }[];
  parameter: Node | undefined;
  endpoint: PathRoutes | undefined;
}

const DOT_SEGMENT = /^(?:\.|%2e){1,2}$/i;

/** The order in which `Allow` lists methods. */
const METHODS = ['GET', 'HEAD', 'QUERY', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/**
 * Finds the endpoint of a path, which is compared as sent: nothing is decoded or normalised, so a
 * trailing slash, a doubled slash or a dot segment makes a different path. HEAD is served by the
 * route of GET.
 */
export class Router {
  readonly #root: Node = emptyNode();
  readonly #server = new PathRoutes('*');

  /** @throws Error if two routes have the same method and path */
  constructor(routes: readonly Route[]) {
    for (const route of routes) {
      const node = this.#nodeFor(route.path);
      node.endpoint ??= new PathRoutes(route.path);
      node.endpoint.add(route);
    }
    this.#server.allow([...routes.flatMap(methodsOf), 'OPTIONS']);
  }

  /**
   * The endpoint of a path, and the values of its parameters. `*`, which only OPTIONS may use (RFC
   * 9112, section 3.2.4), is the server itself.
   * @throws Problem `unknown-path`
   */
  match(method: string, path: string): { endpoint: PathRoutes; params: readonly string[] } {
    const params: string[] = [];
    const isServer = path === '*' && method === 'OPTIONS';
    const endpoint = isServer ? this.#server : this.#walk(path, params);
    if (endpoint !== undefined) return { endpoint, params };
    throw new Problem('unknown-path', `No resource has the path ${path}`);
  }

  /** The header fields of every response for a path, even to a request that is malformed. */
  fieldsOf(path: string): HeaderFields | undefined {
    return this.#walk(path, [])?.fields;
  }

  #nodeFor(path: string): Node {
    let node = this.#root;
    for (const segment of path.slice(1).split('/')) {
      if (/^\{\w+\}$/.test(segment)) {
        node.parameter ??= emptyNode();
        node = node.parameter;
      } else {
        let next = literalAt(node, segment, 0, segment.length);
        if (next === undefined) {
          next = emptyNode();
          node.literals.push({ segment, node: next });
        }
        node = next;
      }
    }
    return node;
  }

  #walk(path: string, params: string[]): PathRoutes | undefined {
    if (!path.startsWith('/')) return undefined;
    let node = this.#root;
    for (let start = 1; start <= path.length; ) {
      const slash = path.indexOf('/', start);
      const end = slash === -1 ? path.length : slash;
      const literal = literalAt(node, path, start, end);
      if (literal !== undefined) node = literal;
      else {
        const segment = path.slice(start, end);
        if (node.parameter === undefined || segment === '' || DOT_SEGMENT.test(segment))
          return undefined;
        node = node.parameter;
        params.push(segment);
      }
      start = end + 1;
    }
    return node.endpoint;
  }
}

function methodsOf({ method }: Route): readonly string[] {
  return method === 'GET' ? ['GET', 'HEAD'] : [method];
}

function emptyNode(): Node {
  return { literals: [], parameter: undefined, endpoint: undefined };
}

/** The node of a literal segment, given by its position in the path. */
function literalAt({ literals }: Node, path: string, start: number, end: number): Node | undefined {
  for (const { segment, node } of literals) {
    if (segment.length === end - start && path.startsWith(segment, start)) return node;
  }
  return undefined;
}
