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
  /** These timers do not keep the process alive. */
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
    // The metric may still be read, which must not start a measurement.
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

/** The longest of each four delays of a slice, in order, in nanoseconds: each takes a few µs. */
function sliceOf(histogram: IntervalHistogram) {
  const { count, mean } = histogram;
  const length = Math.ceil(count / 4);
  const delays = Array.from({ length }, (_, i) => histogram.percentile((100 * (i + 1)) / length));
  return { count, mean, delays };
}

function statisticsOf(slices: readonly Slice[]) {
  const total = slices.reduce((sum, { count }) => sum + count, 0);
  const sum = slices.reduce((sum, { count, mean }) => sum + count * mean, 0);
  const delays = slices.flatMap((slice) => slice.delays).sort((a, b) => a - b);
  const quantile = (share: number) => delays[Math.ceil(share * delays.length) - 1] ?? 0;
  const mean = total === 0 ? 0 : sum / total;
  return { mean, p50: quantile(0.5), p99: quantile(0.99), max: quantile(1) };
}
