import { appendFileSync } from 'node:fs';
import type { Answer } from '../lib/ask.ts';
import { PEERS } from '../lib/peers.ts';
import { rowOf } from '../lib/rows.ts';
import { scratch } from '../lib/scratch.ts';
import { seed } from '../lib/seed.ts';
import { type Program, Server } from '../lib/server.ts';

/** The number of rows written at a time. */
const BATCH = 1000;

/** The build to measure; BENCH_DIST selects another, for comparison. */
export const DIST = process.env.BENCH_DIST ?? 'dist';

/**
 * Both variants of the service as the images start them, with settings from the environment, except
 * for a higher limit of rows.
 */
export const OURS: readonly Program[] = ['a', 'b'].map((variant) => ({
  name: `variant ${variant.toUpperCase()}`,
  args: [`${DIST}/main.js`],
  env: { VARIANT: variant, HOST: '*', MAX_ROWS: '10000000' },
}));

/** Both variants of an earlier build, in the folder that BENCH_BEFORE names. */
export const BEFORE: readonly Program[] = OURS.flatMap((program) => {
  const { BENCH_BEFORE: folder } = process.env;
  if (folder === undefined) return [];
  return { ...program, name: `${program.name} before`, args: [`${folder}/main.js`] };
});

/** Bare `node:http` with a constant response and the same header fields. */
export function floorOf(name: string, answer?: Answer): Program {
  const env = answer && {
    ANSWER: scratch(`${name}.json`, answer.body),
    FIELDS: JSON.stringify(answer.fields),
  };
  return { name, args: [`${PEERS}floor.cjs`], ...(env && { env }) };
}

/**
 * Starts programs with the rows 1 to `count`. The service receives them as POST requests. The
 * others read them from a file when they start, because some would need hours for a million
 * requests.
 */
export async function startWithRows(
  programs: readonly Program[],
  count: number,
): Promise<Server[]> {
  const isService = (program: Program) => OURS.includes(program) || BEFORE.includes(program);
  const env = programs.every(isService) ? {} : { SEED: rowFile(count) };
  const servers: Server[] = [];
  for (const program of programs) {
    if (isService(program)) {
      const server = await Server.start(program);
      await seed(server, 1, count);
      await server.rest();
      servers.push(server);
    } else {
      servers.push(await Server.start({ ...program, env: { ...program.env, ...env } }));
    }
  }
  return servers;
}

/** A file of the rows 1 to `count`, one JSON text per line. */
function rowFile(count: number): string {
  const file = scratch(`rows-${count}.ndjson`, '');
  for (let first = 1; first <= count; first += BATCH) {
    const ids = Array.from({ length: Math.min(BATCH, count + 1 - first) }, (_, i) => first + i);
    appendFileSync(file, ids.map((id) => `${JSON.stringify(rowOf(id))}\n`).join(''));
  }
  return file;
}
