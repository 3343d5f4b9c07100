/* The delay of a one-millisecond timer is the length of the turn before it. */
const PRELOADED = `
import { monitorEventLoopDelay } from 'node:perf_hooks';
const delay = monitorEventLoopDelay({ resolution: 1 });
setTimeout(() => delay.enable(), 500).unref();
process.on('SIGUSR2', () => {
  process.stdout.write(JSON.stringify({ message: 'turns', longestMs: delay.max / 1e6 }) + '\\n');
  delay.reset();
});
`;

/** NODE_OPTIONS of a service that prints its longest turn on SIGUSR2. */
export const PRINTS_TURNS = `--import=data:text/javascript,${encodeURIComponent(PRELOADED)}`;

/** The longest turns between these signals, in milliseconds. */
export function turnsIn(stdout: string): readonly number[] {
  return stdout
    .split('\n')
    .filter((line) => line.includes('"message":"turns"'))
    .map((line) => JSON.parse(line).longestMs);
}
