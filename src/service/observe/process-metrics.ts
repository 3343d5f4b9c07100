import { getHeapStatistics } from 'node:v8';
import { loadModule } from '../../lib/node-module.ts';
import { counter, gauge } from './exposition.ts';

/**
 * The minimum time that the event loop's utilization covers, in milliseconds. Several servers may
 * scrape, so it cannot be the time since the last scrape.
 */
const MIN_WINDOW_MS = 5_000;

/** The metrics of the process. A metric that cannot be read is left out. */
export class ProcessMetrics {
  // Not the global `performance`, which tests may have replaced.
  readonly #performance = loadModule('node:perf_hooks').performance;
  /** The use of the event loop at an earlier read, from which the utilization is computed. */
  #before = this.#performance.eventLoopUtilization();
  /** The use at a later read, and its time. It replaces `#before` after `MIN_WINDOW_MS`. */
  #latest = this.#before;
  #latestAt = this.#performance.now();

  /** Returns each metric in Prometheus's text format. */
  read(): readonly string[] {
    const metrics = [
      () =>
        gauge('v8js_memory_heap_used_bytes', 'Heap in use.', getHeapStatistics().used_heap_size),
      () =>
        gauge('v8js_memory_heap_limit_bytes', 'Heap limit.', getHeapStatistics().heap_size_limit),
      // Opens a file, which fails when the process has used up its descriptors.
      () => gauge('process_resident_memory_bytes', 'Resident memory.', process.memoryUsage.rss()),
      () => counter('process_cpu_seconds_total', 'Processor time spent.', cpuSeconds()),
      () =>
        gauge(
          'process_start_time_seconds',
          'Start time of the process, in seconds since 1970.',
          this.#performance.timeOrigin / 1000,
        ),
      () =>
        gauge(
          'nodejs_eventloop_utilization_ratio',
          'The part of the time in which the event loop was busy, since an earlier scrape.',
          this.#utilization(),
        ),
    ];
    return metrics.flatMap((metric) => ifReadable(metric) ?? []);
  }

  #utilization(): number {
    const now = this.#performance.now();
    if (now - this.#latestAt >= MIN_WINDOW_MS) {
      this.#before = this.#latest;
      this.#latest = this.#performance.eventLoopUtilization();
      this.#latestAt = now;
    }
    return this.#performance.eventLoopUtilization(this.#before).utilization;
  }
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** The result of a function; undefined if it throws. */
function ifReadable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
