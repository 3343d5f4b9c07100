// Measures the turns of the event loop of a process that imports it: `node --import ./turns.js`.
// At SIGUSR2, it writes the longest turns since the last signal to the file TURNS, as JSON:
// `[{ ms, gcMs }, …]`, in milliseconds of processor time, with the collections within them.
import { writeFileSync } from 'node:fs';
import { PerformanceObserver, performance } from 'node:perf_hooks';

/** Only longer turns are kept. */
const LONG_MS = 1;
/** Collections are reported after the turn. */
const REPORT_MS = 50;

let turns = [];
/** Whether this turn is one of the signal. */
let isOwn = false;
const collections = [];
new PerformanceObserver((list) => {
  for (const { startTime, duration } of list.getEntries())
    collections.push({ startTime, duration });
}).observe({ entryTypes: ['gc'] });

let cpu = process.threadCpuUsage();
let begin = performance.now();

function turn() {
  const used = process.threadCpuUsage(cpu);
  const ms = (used.user + used.system) / 1000;
  const end = performance.now();
  if (ms > LONG_MS && !isOwn) turns.push({ ms, begin, end });
  isOwn = false;
  cpu = process.threadCpuUsage();
  begin = end;
  setImmediate(turn).unref();
}
setImmediate(turn).unref();

process.on('SIGUSR2', () => {
  setTimeout(() => {
    isOwn = true;
    const withCollections = turns.map(({ ms, begin, end }) => {
      const within = collections.filter(({ startTime }) => startTime >= begin && startTime < end);
      const gcMs = within.reduce((sum, { duration }) => sum + duration, 0);
      return { ms, gcMs };
    });
    turns = [];
    collections.length = 0;
    writeFileSync(process.env.TURNS, JSON.stringify(withCollections));
  }, REPORT_MS);
});
