import type { Config } from '../config/config.ts';
import type { Settings, ValuesOf } from '../config/setting.ts';
import type { ProblemType } from '../http/core/problem.ts';
import type { Middleware } from '../http/core/request.ts';
import type { DescribedRoute } from '../http/routing/operation.ts';
import type { Log } from '../log.ts';
import type { ResettableService, TestControl } from './admin/test-control.ts';
import type { Metric } from './metrics/exposition.ts';

/** What a feature may use of the service that it is a part of. */
export interface Service extends ResettableService {
  /** Undefined if nobody reads it. */
  readonly log: Log | undefined;
  /** The metrics of all parts of the service, as they are now. */
  metrics(): readonly Metric[];
  /** Receives what a program can do with the service that is a part of it, if it is. */
  readonly onControl: ((control: TestControl) => void) | undefined;
}

/** A part of the service that can be switched off, and then is not there at all. */
export interface Feature {
  /** What it does with each request and its response, the outermost first. */
  readonly middleware?: readonly Middleware[];
  readonly routes?: readonly DescribedRoute[];
  /** The problems that its middleware responds with in place of a route, for the document. */
  readonly problemsOf?: (route: DescribedRoute) => readonly ProblemType[];
}

/** The definition of a feature. */
export interface FeatureDefinition {
  readonly settings: Settings;
  /** @returns undefined if the settings switch it off */
  readonly start: (config: Config, service: Service) => Feature | undefined;
}

/** Defines a feature by its settings, and by what it adds: nothing if they switch it off. */
export function defineFeature<S extends Settings>(
  settings: S,
  start: (values: ValuesOf<S>, service: Service) => Feature | undefined,
): FeatureDefinition {
  return { settings, start: (config, service) => start(config.of(settings), service) };
}
