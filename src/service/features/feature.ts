import type { Config, Settings, ValuesOf } from '../../lib/config/index.ts';
import type { DescribedRoute, Middleware, ProblemCode, ProblemType } from '../../lib/http/index.ts';
import type { NamedSchema } from '../../lib/json/index.ts';
import type { Log } from '../../lib/log.ts';
import type { Faults } from './admin/faults.ts';
import type { Journal } from './admin/journal.ts';
import type { Metric } from './metrics/exposition.ts';

/** What a feature may use of the service that it is a part of. */
export interface Service {
  /** Undefined if nobody reads it. */
  readonly log: Log | undefined;
  /** The metrics of all parts of the service, as they are now. */
  metrics(): readonly Metric[];
  /**
   * Goes back to the seed, or to the items of another one, which it parses; ids start again.
   * @throws Problem `validation-failed`, or one of `resetProblems`
   */
  readonly reset: (parse?: () => unknown) => Promise<void>;
  readonly seedSchema: NamedSchema;
  readonly resetProblems: readonly (ProblemCode | ProblemType)[];
  /** Calls back whenever the items have been reset, by whomever. */
  readonly onReset: (callback: () => void) => void;
  readonly cutStreams: () => void;
  /** Receives what a program can do with the service that is a part of it, if it is. */
  readonly onControl: ((control: TestControl) => void) | undefined;
}

/** What test suites do with the service that they test (testing.md: "For test suites"). */
export interface TestControl
  extends Pick<Service, 'reset' | 'seedSchema' | 'resetProblems' | 'cutStreams'> {
  readonly faults: Faults;
  readonly journal: Journal;
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
