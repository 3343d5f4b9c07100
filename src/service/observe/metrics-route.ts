import { getHeapStatistics } from 'node:v8';
import { NO_STORE } from '../../lib/http/index.ts';
import { byteString } from '../../lib/json/index.ts';
import { loadModule } from '../../lib/node-module.ts';
import { METRICS } from '../exempt-paths.ts';
import type { Feature } from '../feature.ts';
import { type DescribedRoute, describedRoute, NO_STORE_FIELD, OPERATIONS } from '../operation.ts';
import { counter, gauge } from './exposition.ts';
import { HttpMetrics } from './http-metrics.ts';
import { type ServiceMetricsOptions, serviceMetrics } from './service-metrics.ts';

/** Prometheus metrics of requests, lists, and the process (operations.md: "Metrics"). */
export function metrics(options: ServiceMetricsOptions): Feature {
  const http = new HttpMetrics();
  return {
    onRequest: http.onRequest,
    routes: [metricsRoute(() => [...http.read(), ...serviceMetrics(options)])],
  };
}

/** @param others returns the metrics of other parts than the process */
function metricsRoute(others: () => readonly string[]): DescribedRoute {
  return describedRoute('GET', METRICS, {
    id: 'getMetrics',
    summary: 'Get metrics',
    description:
      'Requests, items, memory and the process, with OpenTelemetry names where they exist.',
    tag: OPERATIONS,
    isOfProcess: true,
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
      content: byteString([...others(), ...processMetrics()].join('')),
    }),
  });
}

function processMetrics(): readonly string[] {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  const { user, system } = process.cpuUsage();
  // Tests may have replaced the global one.
  const { performance } = loadModule('node:perf_hooks');
  const started = 'Start time of the process, in seconds since 1970.';
  return [
    gauge('v8js_memory_heap_used_bytes', 'Heap in use.', used),
    gauge('v8js_memory_heap_limit_bytes', 'Heap limit.', limit),
    gauge('process_resident_memory_bytes', 'Resident memory.', process.memoryUsage.rss()),
    counter('process_cpu_seconds_total', 'Processor time spent.', (user + system) / 1e6),
    gauge('process_start_time_seconds', started, performance.timeOrigin / 1000),
  ];
}
