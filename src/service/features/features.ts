import { ACCESS_LOG } from './features/access-log.ts';
import { ADMIN } from './features/admin/admin.ts';
import { CORS } from './features/cors.ts';
import type { FeatureDefinition } from './features/feature.ts';
import { METRICS } from './features/metrics/metrics.ts';

/** What settings switch on. Requests pass their middleware in this order, responses in reverse. */
export const FEATURES: readonly FeatureDefinition[] = [ACCESS_LOG, METRICS, CORS, ADMIN];
