import { NO_STORE } from '../../lib/http/index.ts';
import { byteString } from '../../lib/json/index.ts';
import type { Feature } from '../feature.ts';
import { type DescribedRoute, describedRoute, NO_STORE_FIELD, OPERATIONS } from '../operation.ts';
import { METRICS } from '../reserved-paths.ts';
import { HttpMetrics } from './http-metrics.ts';
import { ProcessMetrics } from './process-metrics.ts';
import { type ServiceMetricsOptions, serviceMetrics } from './service-metrics.ts';

/** Prometheus metrics of requests, lists, and the process (operations.md: "Metrics"). */
export function metrics(options: ServiceMetricsOptions): Feature {
  const http = new HttpMetrics();
  const ofProcess = new ProcessMetrics();
  return {
    observe: http.observe,
    routes: [metricsRoute(() => [...http.read(), ...serviceMetrics(options), ...ofProcess.read()])],
  };
}

function metricsRoute(read: () => readonly string[]): DescribedRoute {
  return describedRoute('GET', METRICS, {
    id: 'getMetrics',
    summary: 'Get metrics',
    description:
      'Requests, items, memory and the process, with OpenTelemetry names where they exist.',
    tag: OPERATIONS,
    isAtBaseOnly: true,
    ignoresAccept: true,
    responses: {
      200: {
        description: 'Metrics in Prometheus text format.',
        content: { 'text/plain': { type: 'string' } },
        headers: NO_STORE_FIELD,
      },
    },
    handle: () => ({
      status: 200,
      headers: NO_STORE,
      mediaType: 'text/plain; version=0.0.4; charset=utf-8',
      content: byteString(read().join('')),
    }),
  });
}
