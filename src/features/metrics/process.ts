import type { IntervalHistogram } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { counter, gauge, type Metric } from './exposition.ts';

const DELAY_RESOLUTION_MS = 10;

const STARTED = 'When the process started, in seconds since 1970.';

/** Metrics of the process. The event-loop delay is measured from the first scrape on. */
export class ProcessMetrics {
  #delay: IntervalHistogram | undefined;

  read(): readonly Metric[] {
    const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
    const { user, system } = process.cpuUsage();
    return [
      ...this.#eventLoop(),
      gauge('v8js_memory_heap_used_bytes', 'Heap in use.', used),
      gauge('v8js_memory_heap_limit_bytes', 'Heap limit.', limit),
      gauge('process_resident_memory_bytes', 'Resident memory.', process.memoryUsage.rss()),
      counter('process_cpu_seconds_total', 'Processor time spent.', (user + system) / 1e6),
      gauge('process_start_time_seconds', STARTED, performance.timeOrigin / 1000),
    ];
  }

  /** Event-loop delay since the last scrape. */
  #eventLoop(): readonly Metric[] {
    if (this.#delay === undefined) {
      // Loaded when it is needed, because that takes as long as a fiftieth of the start.
      const { monitorEventLoopDelay } = process.getBuiltinModule('node:perf_hooks');
      this.#delay = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS });
      this.#delay.enable();
    }
    const delay = this.#delay;
    const { mean, max, count } = delay;
    const statistics = { mean, p50: delay.percentile(50), p99: delay.percentile(99), max };
    delay.reset();
    return Object.entries(statistics).map(([name, nanoseconds]) => {
      const seconds = Math.max(0, nanoseconds / 1e9 - DELAY_RESOLUTION_MS / 1e3);
      const help = `Event loop delay (${name}) since the last scrape.`;
      return gauge(`nodejs_eventloop_delay_${name}_seconds`, help, count === 0 ? 0 : seconds);
    });
  }
}
