import type { IntervalHistogram } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { onOff } from '../../../lib/config/index.ts';
import { describedRoute, NO_STORE, NO_STORE_FIELD, OPERATIONS } from '../../../lib/http/index.ts';
import { byteString } from '../../../lib/json/index.ts';
import { counter, EXPOSITION_MEDIA_TYPE, expositionOf, gauge, type Metric } from '../exposition.ts';
import { defineFeature } from '../feature.ts';
import { HttpMetrics } from './http-metrics.ts';

const SETTINGS = {
  metrics: { description: 'serve Prometheus metrics at /metrics', ...onOff(true) },
};

/** Metrics of requests, of the process, and of all parts of the service, for Prometheus. */
export const METRICS = defineFeature(SETTINGS, ({ metrics: isOn }, service) => {
  if (!isOn) return undefined;
  const http = new HttpMetrics();
  const eventLoop = eventLoopMetrics();
  const read = () => [...http.read(), ...service.metrics(), ...eventLoop(), ...processMetrics()];
  const route = describedRoute('GET', '/metrics', {
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
  return { middleware: [http.middleware], routes: [route] };
});

const DELAY_RESOLUTION_MS = 10;

/** Reads the event-loop delay since the reading before; it is measured from the first one on. */
function eventLoopMetrics(): () => readonly Metric[] {
  let delay: IntervalHistogram | undefined;
  return () => {
    if (delay === undefined) {
      // Loaded when it is needed, because that takes as long as a fiftieth of the start.
      const { monitorEventLoopDelay } = process.getBuiltinModule('node:perf_hooks');
      delay = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS });
      delay.enable();
    }
    const { mean, max, count } = delay;
    const statistics = { mean, p50: delay.percentile(50), p99: delay.percentile(99), max };
    delay.reset();
    return Object.entries(statistics).map(([name, nanoseconds]) => {
      const seconds = Math.max(0, nanoseconds / 1e9 - DELAY_RESOLUTION_MS / 1e3);
      const help = `Event loop delay (${name}) since the last scrape.`;
      return gauge(`nodejs_eventloop_delay_${name}_seconds`, help, count === 0 ? 0 : seconds);
    });
  };
}

function processMetrics(): readonly Metric[] {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  const { user, system } = process.cpuUsage();
  const started = 'When the process started, in seconds since 1970.';
  return [
    gauge('v8js_memory_heap_used_bytes', 'Heap in use.', used),
    gauge('v8js_memory_heap_limit_bytes', 'Heap limit.', limit),
    gauge('process_resident_memory_bytes', 'Resident memory.', process.memoryUsage.rss()),
    counter('process_cpu_seconds_total', 'Processor time spent.', (user + system) / 1e6),
    gauge('process_start_time_seconds', started, performance.timeOrigin / 1000),
  ];
}
