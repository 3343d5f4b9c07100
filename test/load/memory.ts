/** The memory of a process at a moment, after a collection of its garbage, in MiB. */
export interface Memory {
  readonly heap: number;
  readonly resident: number;
}

const PRELOADED = `
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
process.on('SIGUSR2', () => {
  collect();
  collect();
  const { heapUsed, rss } = process.memoryUsage();
  const memory = { heap: Math.round(heapUsed / 2 ** 20), resident: Math.round(rss / 2 ** 20) };
  process.stdout.write(JSON.stringify({ message: 'memory', ...memory }) + '\\n');
});
`;

/** The environment of a service that writes down its memory whenever it gets SIGUSR2. */
export const TELLS_MEMORY: NodeJS.ProcessEnv = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(PRELOADED)}`,
};

/** What such a service wrote down, in order. */
export function toldMemory(stdout: string): Memory[] {
  return stdout
    .split('\n')
    .filter((line) => line.includes('"message":"memory"'))
    .map((line) => JSON.parse(line));
}
