// Measures the turns of the event loop of a process that imports it: `node --import ./turns.js`.
// At SIGUSR2, it writes the longest turns since the last signal to the file TURNS, as JSON:
// `[{ ms, gcMs }, …]`, in milliseconds, with the collections within them. Not in processor
// time, of which the system counts what a thread takes in steps of 4 ms.
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

let begin = performance.now();

function turn() {
  const end = performance.now();
  if (end - begin > LONG_MS && !isOwn) turns.push({ begin, end });
  isOwn = false;
  begin = end;
  setImmediate(turn);
}
setImmediate(turn);

process.on('SIGUSR2', () => {
  setTimeout(() => {
    isOwn = true;
    const withCollections = turns.map(({ begin, end }) => {
      const within = collections.filter(({ startTime }) => startTime >= begin && startTime < end);
      const gcMs = within.reduce((sum, { duration }) => sum + duration, 0);
      return { ms: end - begin, gcMs };
    });
    turns = [];
    collections.length = 0;
    writeFileSync(process.env.TURNS, JSON.stringify(withCollections));
  }, REPORT_MS);
});
