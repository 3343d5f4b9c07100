import { ACCESS_LOG } from './access-log.ts';
import { ADMIN, type ControlledService } from './admin/admin.ts';
import { CORS } from './cors.ts';
import type { FeatureDefinition } from './feature.ts';
import { METRICS } from './metrics/metrics.ts';

type Definition = FeatureDefinition<ControlledService>;

/** What settings switch on. Requests pass their middleware in this order, responses in reverse. */
export const FEATURES: readonly Definition[] = [ACCESS_LOG, METRICS, CORS, ADMIN];
