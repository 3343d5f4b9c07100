import type { IntervalHistogram } from 'node:perf_hooks';
import { clock } from '../../../lib/clock.ts';
import { gauge } from '../exposition.ts';

const RESOLUTION_MS = 10;

/** The time of a slice in milliseconds, and how many whole slices there are beside the present. */
const SLICE_MS = 10_000;
const SLICES = 6;

/** To load what measures takes a fiftieth of the start, so it is done after it. */
const START_MS = 100;

/** The delay of the event loop in the last minute, however often it is read. */
export class EventLoopDelay {
  #histogram: IntervalHistogram | undefined;
  #past: readonly Slice[] = [];
  /** They do not keep the process. */
  readonly #timers = [
    clock.setTimeout(() => this.#measuring(), START_MS).unref(),
    clock.setInterval(() => this.#endSlice(), SLICE_MS).unref(),
  ];

  read(): readonly string[] {
    const present = sliceOf(this.#measuring());
    const all = [...this.#past, present].filter(({ count }) => count > 0);
    return Object.entries(statisticsOf(all)).map(([name, nanoseconds]) => {
      const help = `Event loop delay (${name}) of the last minute.`;
      const seconds = Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1e3);
      return gauge(`nodejs_eventloop_delay_${name}_seconds`, help, seconds);
    });
  }

  stop(): void {
    for (const timer of this.#timers) clock.clear(timer);
    // It may still be read, which must not begin to measure.
    this.#measuring().disable();
  }

  #measuring(): IntervalHistogram {
    if (this.#histogram === undefined) {
      const { monitorEventLoopDelay } = process.getBuiltinModule('node:perf_hooks');
      this.#histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
      this.#histogram.enable();
    }
    return this.#histogram;
  }

  #endSlice(): void {
    const histogram = this.#measuring();
    this.#past = [...this.#past, sliceOf(histogram)].slice(-SLICES);
    histogram.reset();
  }
}

type Slice = ReturnType<typeof sliceOf>;

/** The delays of a slice of time, in nanoseconds: in ascending order, a hundredth of them each. */
function sliceOf(histogram: IntervalHistogram) {
  const { count, mean, max } = histogram;
  const hundredths = Array.from({ length: 100 }, (_, i) => histogram.percentile(i + 1));
  return { count, mean, max, hundredths };
}

function statisticsOf(slices: readonly Slice[]) {
  const total = slices.reduce((sum, { count }) => sum + count, 0);
  const sum = slices.reduce((sum, { count, mean }) => sum + count * mean, 0);
  const delays = slices
    .flatMap(({ count, hundredths }) => hundredths.map((delay) => ({ delay, weight: count / 100 })))
    .sort((a, b) => a.delay - b.delay);
  const quantile = (share: number) => {
    let left = share * total;
    for (const { delay, weight } of delays) {
      left -= weight;
      if (left <= 0) return delay;
    }
    return 0;
  };
  return {
    mean: total === 0 ? 0 : sum / total,
    p50: quantile(0.5),
    p99: quantile(0.99),
    max: Math.max(0, ...slices.map(({ max }) => max)),
  };
}
