import type { Config } from '../../lib/config/index.ts';
import { ACCESS_LOG } from './access-log.ts';
import { ADMIN } from './admin/admin.ts';
import { CORS } from './cors.ts';
import type { Feature, FeatureDefinition, Service } from './feature.ts';
import { METRICS } from './metrics/metrics.ts';

/** All features. Requests pass their middleware in this order, responses in reverse. */
export const FEATURES: readonly FeatureDefinition[] = [ACCESS_LOG, METRICS, CORS, ADMIN];

/** Creates the features that settings switch on, as one. @throws ConfigError */
export function startFeatures(config: Config, service: Service): Required<Feature> {
  const features = FEATURES.flatMap(({ start }) => start(config, service) ?? []);
  return {
    middleware: features.flatMap(({ middleware = [] }) => middleware),
    routes: features.flatMap(({ routes = [] }) => routes),
    problemsOf: (route) => features.flatMap(({ problemsOf }) => problemsOf?.(route) ?? []),
  };
}
