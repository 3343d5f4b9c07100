/* How late a timer of a millisecond fires is how long the turn before it took. */
const PRELOADED = `
import { monitorEventLoopDelay } from 'node:perf_hooks';
const delay = monitorEventLoopDelay({ resolution: 1 });
setTimeout(() => delay.enable(), 500).unref();
process.on('SIGUSR2', () => {
  process.stdout.write(JSON.stringify({ message: 'turns', longestMs: delay.max / 1e6 }) + '\\n');
  delay.reset();
});
`;

/** Options of a service that writes down its longest turn whenever it gets SIGUSR2. */
export const TELLS_TURNS = `--import=data:text/javascript,${encodeURIComponent(PRELOADED)}`;

/** The longest turns between the times it was asked, in milliseconds. */
export function toldTurns(stdout: string): readonly number[] {
  return stdout
    .split('\n')
    .filter((line) => line.includes('"message":"turns"'))
    .map((line) => JSON.parse(line).longestMs);
}
