import type { Config, Settings, ValuesOf } from '../../lib/config/index.ts';
import type { Middleware, ProblemType } from '../../lib/http/index.ts';
import type { Log } from '../../lib/log.ts';
import type { DescribedRoute } from '../operation.ts';
import type { TestControl } from './control/control.ts';

/** The parts of the service that features use. */
export interface Service {
  /** Undefined if nothing is logged. */
  readonly log: Log | undefined;
  readonly control: TestControl;
  /** Whether a program that runs the service in its process has the control. */
  readonly isInProcess: boolean;
  /** The methods of the list, as `Allow` has them. */
  readonly listMethods: string;
  /** Returns the current metrics of all parts, in Prometheus text format. */
  metrics(): readonly string[];
}

/** An optional part of the service. Switched off, it adds nothing. */
export interface Feature {
  /** Middleware, the outermost first. */
  readonly middleware?: readonly Middleware[];
  readonly routes?: readonly DescribedRoute[];
  /** Problems from middleware that responds instead of the route, for the document. */
  readonly problemsOf?: (route: DescribedRoute) => readonly ProblemType[];
}

/** The settings of a feature, and how to create it. */
export interface FeatureDefinition {
  readonly settings: Settings;
  /** Creates the feature; undefined if the settings switch it off. @throws ConfigError */
  readonly start: (config: Config, service: Service) => Feature | undefined;
}

export function defineFeature<S extends Settings>(
  settings: S,
  start: (values: ValuesOf<S>, service: Service) => Feature | undefined,
): FeatureDefinition {
  return { settings, start: (config, service) => start(config.of(settings), service) };
}
