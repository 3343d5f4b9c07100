import { type DescribedRoute, describedRoute, OPERATIONS } from '../../http/routing/operation.ts';
import { NO_STORE, NO_STORE_FIELD } from '../../http/routing/response-fields.ts';
import { byteString } from '../../json/byte-string.ts';
import { EXPOSITION_MEDIA_TYPE, expositionOf, type Metric } from './exposition.ts';

/** Serves metrics in Prometheus's text format. */
export function metricsRoute(read: () => readonly Metric[]): DescribedRoute {
  return describedRoute({
    method: 'GET',
    path: '/metrics',
    operation: {
      id: 'getMetrics',
      summary: 'Get metrics',
      description:
        'Requests, items, memory and the process, with OpenTelemetry names where they exist.',
      tag: OPERATIONS,
      ignoresAccept: true,
      responses: {
        200: {
          description: 'Metrics in Prometheus text format.',
          mediaType: 'text/plain',
          schema: { type: 'string' },
          headers: NO_STORE_FIELD,
        },
      },
    },
    handle: () => ({
      status: 200,
      headers: NO_STORE,
      mediaType: EXPOSITION_MEDIA_TYPE,
      content: byteString(expositionOf(read())),
    }),
  });
}
