/* How late a timer of a millisecond fires is how long the turn before it took. */
const PRELOADED = `
import { monitorEventLoopDelay } from 'node:perf_hooks';
const delay = monitorEventLoopDelay({ resolution: 1 });
setTimeout(() => delay.enable(), 500).unref();
process.on('SIGUSR2', () => {
  process.stdout.write(JSON.stringify({ message: 'turns', longestMs: delay.max / 1e6 }) + '\\n');
});
`;

/** Options of a service that writes down its longest turn when it gets SIGUSR2. */
export const TELLS_TURNS = `--import=data:text/javascript,${encodeURIComponent(PRELOADED)}`;

/** The longest turn that it wrote down, in milliseconds. */
export function toldTurns(stdout: string): number {
  const line = stdout.split('\n').find((text) => text.includes('"message":"turns"'));
  return line === undefined ? Number.NaN : JSON.parse(line).longestMs;
}
