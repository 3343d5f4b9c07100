import { METHODS } from 'node:http';
import { localPathOf, type Request } from '../../../lib/http/index.ts';
import { isExempt } from '../exempt-paths.ts';
import { type MemberRule, text } from './member-rule.ts';

/** The paths of a service. */
export interface KnownPaths {
  /** The path prefix of all routes; empty if there is none. */
  readonly basePath: string;
  /** All routes, including routes added later. */
  readonly routes: readonly { readonly path: string }[];
}

/** A member that is a condition. */
export type ConditionMember<V, T> = MemberRule & Condition<V, T>;

export interface Condition<V, T> {
  // A method, so that members with values of different types fit into one table.
  matches(value: V, subject: T): boolean;
}

type ScopeMember = ConditionMember<string, Pick<Request, 'method' | 'path' | 'template'>>;

/** The characters of a percent-encoded path, which has no final slash unless it is `/`. */
const PATH = /^[/](?:[!\x22$->@-~]*[!\x22$-.0->@-~])?$/;

/** The conditions that faults share with filters of the journal. Exempt paths are refused. */
export function scopeMembers({ basePath, routes }: KnownPaths) {
  const path = text(
    'a path outside probes, metrics and /admin, encoded, without a query or a final "/"',
    PATH,
  );
  const route = text('a template as the journal has it, such as /api/todos/{id}');
  const known = () => new Set(routes.map((each) => each.path).filter((each) => !isExempt(each)));
  return {
    method: {
      ...text('a known method in capital letters', /^[A-Z-]+$/),
      accepts: (value) => value !== 'CONNECT' && METHODS.some((method) => method === value),
      matches: (value, { method }) => value === method,
    },
    path: {
      ...path,
      accepts: (value) => path.accepts(value) && !isExempt(localPathOf(String(value), basePath)),
      matches: (value, { path }) => value === '/' || `${path}/`.startsWith(`${value}/`),
    },
    route: {
      ...route,
      accepts: (value) => [...known()].some((template) => template === value),
      hint: () => `use ${[...known()].join(', ')}`,
      matches: (value, { template }) => value === template,
    },
  } as const satisfies Record<string, ScopeMember>;
}
