import { onOff } from '../../config/setting.ts';
import { describedRoute, OPERATIONS } from '../../http/routing/operation.ts';
import { NO_STORE, NO_STORE_FIELD } from '../../http/routing/response-fields.ts';
import { byteString } from '../../json/byte-string.ts';
import { defineFeature } from '../feature.ts';
import { EXPOSITION_MEDIA_TYPE, expositionOf, type Metric } from './exposition.ts';
import { HttpMetrics } from './http-metrics.ts';
import { ProcessMetrics } from './process.ts';

/** Metrics of requests, of the process, and of all parts of the service, for Prometheus. */
export const METRICS = defineFeature(
  {
    isOn: {
      variable: 'METRICS',
      description: 'serve Prometheus metrics at /metrics',
      ...onOff(true),
    },
  },
  ({ isOn }, service) => {
    if (!isOn) return undefined;
    const http = new HttpMetrics();
    const process = new ProcessMetrics();
    return {
      middleware: [http.middleware],
      routes: [metricsRoute(() => [...http.read(), ...service.metrics(), ...process.read()])],
    };
  },
);

/** Serves metrics in Prometheus's text format. */
function metricsRoute(read: () => readonly Metric[]) {
  return describedRoute({
    method: 'GET',
    path: '/metrics',
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
    handle: () => ({
      status: 200,
      headers: NO_STORE,
      mediaType: EXPOSITION_MEDIA_TYPE,
      content: byteString(expositionOf(read())),
    }),
  });
}
