import { ACCESS_LOG } from './access-log.ts';
import { ADMIN } from './admin/admin.ts';
import { CORS } from './cors.ts';
import type { FeatureDefinition } from './feature.ts';
import { METRICS } from './metrics/metrics.ts';

/** All features. Requests pass their middleware in this order, responses in reverse. */
export const FEATURES: readonly FeatureDefinition[] = [ACCESS_LOG, METRICS, CORS, ADMIN];
