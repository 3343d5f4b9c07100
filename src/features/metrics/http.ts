import type { Metric, Sample } from './exposition.ts';
import {
  DURATION_BUCKETS,
  type DurationHistogram,
  type HttpMetrics,
  type RequestKind,
} from './http-metrics.ts';

/** Metrics of requests, with OpenTelemetry's names. */
export function httpMetrics(http: HttpMetrics): readonly Metric[] {
  return [
    {
      name: 'http_server_request_duration_seconds',
      type: 'histogram',
      help: 'Duration of HTTP server requests.',
      samples: [...http.durations()].flatMap(([kind, histogram]) =>
        histogramSamples(kind, histogram),
      ),
    },
    {
      name: 'http_server_active_requests',
      type: 'gauge',
      help: 'HTTP server requests in progress.',
      samples: [{ value: http.active }],
    },
  ];
}

/** Buckets are cumulative: each counts everything up to its bound. */
function histogramSamples(kind: RequestKind, { counts, sum }: DurationHistogram): Sample[] {
  const labels = {
    http_request_method: kind.method,
    http_route: kind.route,
    http_response_status_code: kind.status,
  };
  let count = 0;
  const buckets = [...counts].map((own, i) => {
    count += own;
    const le = DURATION_BUCKETS[i] ?? '+Inf';
    return { suffix: '_bucket', labels: { ...labels, le }, value: count };
  });
  return [
    ...buckets,
    { suffix: '_sum', labels, value: sum },
    { suffix: '_count', labels, value: count },
  ];
}
