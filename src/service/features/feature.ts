import type { Config, Settings, ValuesOf } from '../../lib/config/index.ts';
import type { DescribedRoute, HttpServer, Middleware, ProblemType } from '../../lib/http/index.ts';
import type { Log } from '../../lib/log.ts';
import type { Resets } from '../todo/reset.ts';

/** What a feature may use of the service that it is a part of. */
export interface Service extends Resets {
  /** The path below which everything lies; empty if there is none. */
  readonly basePath: string;
  /** The templates of the paths of all routes, such as `/api/todos/{id}`. */
  readonly templates: () => readonly string[];
  /** Undefined if nobody reads it. */
  readonly log: Log | undefined;
  /** The metrics of all parts of the service, as they are now, each as Prometheus reads it. */
  metrics(): readonly string[];
  /** Ends all event streams that are open. */
  readonly cutStreams: () => void;
  /** Refuses requests that have arrived and are not handled yet, unless their path is spared. */
  readonly refuseUnhandled: HttpServer['refuseUnhandled'];
  /** Calls back when the service finishes the requests in flight, and then stops. */
  readonly onStop: (callback: () => void) => void;
}

/** A part of the service that can be switched off, and then is not there at all. */
export interface Feature {
  /** What it does with each request and its response, the outermost first. */
  readonly middleware?: readonly Middleware[];
  readonly routes?: readonly DescribedRoute[];
  /** The problems that its middleware responds with in place of a route, for the document. */
  readonly problemsOf?: (route: DescribedRoute) => readonly ProblemType[];
}

/** The definition of a feature, and what it needs of the service. */
export interface FeatureDefinition<Needs extends Service = Service> {
  readonly settings: Settings;
  /** Makes the feature; undefined if the settings switch it off. */
  readonly start: (config: Config, service: Needs) => Feature | undefined;
}

/** Defines a feature by its settings, and by what it adds: nothing if they switch it off. */
export function defineFeature<S extends Settings, Needs extends Service = Service>(
  settings: S,
  start: (values: ValuesOf<S>, service: Needs) => Feature | undefined,
): FeatureDefinition<Needs> {
  return { settings, start: (config, service) => start(config.of(settings), service) };
}

/** The paths of orchestrators, and those that change what the service does. */
const EXEMPT = ['/livez', '/readyz', '/metrics', '/admin'];

/** Whether what stands in the way of requests spares those for a path. */
export function isExempt(path: string): boolean {
  return EXEMPT.some((spared) => path === spared || path.startsWith(`${spared}/`));
}
