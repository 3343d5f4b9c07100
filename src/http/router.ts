import { Problem } from './problem.ts';

/** What a path leads to: the routes by method, and what stood in place of the pattern's parameters. */
export interface Match<R> {
  readonly route: R;
  readonly params: readonly string[];
}

/** The least a route says of itself: `{name}` in a path stands for exactly one segment. */
export interface Pattern {
  readonly method: string;
  readonly path: string;
}

/** The methods one path answers, and the `Allow` field that lists them (RFC 9110, section 10.2.1). */
interface Endpoint<R> {
  readonly routes: Map<string, R>;
  allow: string;
}

/** One place in the tree of path segments. A literal segment is preferred to a parameter. */
interface Node<R> {
  /** Few, so that to compare with each takes less time than to cut a segment out and hash it. */
  readonly literals: { readonly segment: string; readonly node: Node<R> }[];
  parameter: Node<R> | undefined;
  endpoint: Endpoint<R> | undefined;
}

const DOT_SEGMENT = /^(?:\.|%2e){1,2}$/i;

/**
 * Finds the route of a method and a path. Paths are compared as they were sent: nothing is decoded or
 * normalised, so a trailing slash, a doubled slash and dot segments are other paths (RFC 3986, section 6.2,
 * would allow to treat them alike; the contract does not).
 */
export class Router<R extends Pattern> {
  readonly #root: Node<R> = emptyNode();

  /** @throws Error when two routes have the same method and the same path. */
  constructor(routes: readonly R[]) {
    for (const route of routes) this.#add(route);
  }

  /**
   * HEAD is served by the route of GET.
   * @throws Problem `unknown-path`, or `method-not-allowed` with the methods there are.
   */
  match(method: string, path: string): Match<R> {
    const params: string[] = [];
    const endpoint = this.#find(path, params);
    const route = endpoint.routes.get(method);
    if (route === undefined) throw methodNotAllowed(method, endpoint.allow);
    return { route, params };
  }

  /**
   * The `Allow` field of a path; that of `*`, the server as a whole, is every method there is.
   * @throws Problem `unknown-path`.
   */
  allow(path: string): string {
    if (path === '*') return allowOf([...this.#endpoints()].flatMap((e) => [...e.routes.keys()]));
    return this.#find(path, []).allow;
  }

  #find(path: string, params: string[]): Endpoint<R> {
    const endpoint = this.#walk(path, params);
    if (endpoint === undefined) throw new Problem('unknown-path', `There is nothing at ${path}`);
    return endpoint;
  }

  #add(route: R): void {
    let node = this.#root;
    for (const segment of route.path.slice(1).split('/')) {
      if (/^\{\w+\}$/.test(segment)) {
        node.parameter ??= emptyNode();
        node = node.parameter;
      } else {
        let next = literalAt(node, segment, 0, segment.length);
        if (next === undefined) {
          next = emptyNode<R>();
          node.literals.push({ segment, node: next });
        }
        node = next;
      }
    }
    node.endpoint ??= { routes: new Map(), allow: '' };
    const { routes } = node.endpoint;
    if (routes.has(route.method)) throw new Error(`two routes for ${route.method} ${route.path}`);
    routes.set(route.method, route);
    if (route.method === 'GET') routes.set('HEAD', route);
    node.endpoint.allow = allowOf([...routes.keys()]);
  }

  #walk(path: string, params: string[]): Endpoint<R> | undefined {
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

  *#endpoints(node: Node<R> = this.#root): Generator<Endpoint<R>> {
    if (node.endpoint !== undefined) yield node.endpoint;
    for (const next of node.literals) yield* this.#endpoints(next.node);
    if (node.parameter !== undefined) yield* this.#endpoints(node.parameter);
  }
}

const METHOD_ORDER = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

function allowOf(methods: readonly string[]): string {
  const all = new Set([...methods, 'OPTIONS']);
  return METHOD_ORDER.filter((method) => all.has(method)).join(', ');
}

function methodNotAllowed(method: string, allow: string): Problem {
  return new Problem('method-not-allowed', `${method} is not allowed here; these are: ${allow}`, {
    headers: { Allow: allow },
  });
}

function emptyNode<R>(): Node<R> {
  return { literals: [], parameter: undefined, endpoint: undefined };
}

/** The node that the part of a path between two places leads to literally. */
function literalAt<R>(
  { literals }: Node<R>,
  path: string,
  start: number,
  end: number,
): Node<R> | undefined {
  for (const { segment, node } of literals) {
    if (segment.length === end - start && path.startsWith(segment, start)) return node;
  }
  return undefined;
}
