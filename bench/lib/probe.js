/* Preloaded into a server whose memory, turns or profile are measured. */
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** The delay of a timer of one millisecond is the length of the turn before it. */
const delays = monitorEventLoopDelay({ resolution: 1 });

process.on('message', (what) => {
  if (what === 'exit') process.exit();
  else if (what === 'turns') process.send(longestTurn());
  else process.send(memory());
});
process.channel?.unref();

function memory() {
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** The longest turn of the event loop since the last question, in milliseconds. */
function longestTurn() {
  const longest = delays.max / 1e6;
  delays.reset();
  delays.enable();
  return longest;
}
