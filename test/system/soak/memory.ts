/** The memory of a process after garbage collection, in MiB. */
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

/** The environment of a service that prints its memory on SIGUSR2. */
export const PRINTS_MEMORY: NodeJS.ProcessEnv = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(PRELOADED)}`,
};

/** The memory measurements in the output of such a service, in order. */
export function memoryIn(stdout: string): Memory[] {
  return stdout
    .split('\n')
    .filter((line) => line.includes('"message":"memory"'))
    .map((line) => JSON.parse(line));
}
