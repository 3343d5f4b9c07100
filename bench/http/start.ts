import type { Version } from '../lib/commit.ts';
import { Figures } from '../lib/figures.ts';
import { progress, table, verdict } from '../lib/report.ts';
import { Server } from '../lib/server.ts';
import { alternating, digits } from '../lib/stats.ts';
import { bareNodeHttp, peers, ROWS, serviceOf, VARIANTS, withoutRows } from './programs.ts';

const MIB = 2 ** 20;
/** The most that a start may take, as a multiple of that of bare `node:http`. */
const MOST_START = 1.7;

/**
 * The time from the start of a process to its first 200, without items; and its memory in RAM, empty
 * and with `ROWS` items.
 */
export async function starts(
  rounds: number,
  builds: readonly (Version & { readonly dist: string })[],
): Promise<string> {
  const floor = bareNodeHttp('node:http');
  const own = VARIANTS.map((variant) => serviceOf(variant));
  const earlier = builds.flatMap(({ name, dist }) =>
    VARIANTS.map((variant) => serviceOf(variant, dist, name)),
  );
  const programs = [...own, ...earlier, ...peers()];
  const empty = [floor, ...programs.map(withoutRows)];
  const figures = new Figures();
  for (let round = 0; round < rounds; round++) {
    progress(`start, round ${round + 1} of ${rounds}`);
    for (const program of alternating(empty, round)) {
      const server = await Server.start(program);
      figures.add('start', program.name, server.startMs);
      await server.rest();
      figures.add('empty', program.name, server.residentBytes() / MIB);
      await server.stop();
    }
  }
  for (const program of programs) {
    progress(`memory: ${program.name}`);
    const server = await Server.start(program);
    await server.rest();
    figures.add('full', program.name, server.residentBytes() / MIB);
    await server.stop();
  }
  const leastMemory = Math.min(...VARIANTS.map((each) => figures.of('full', `Fastify ${each}`)));
  const lines = empty.map(({ name }) => {
    const ratio = figures.ratio('start', name, floor.name);
    const memory = figures.of('full', name);
    const reached = `start ${verdict(ratio <= MOST_START)}, memory ${verdict(memory <= leastMemory)}`;
    return [
      name,
      `${digits(figures.of('start', name))} ms, ${ratio.toFixed(2)}×`,
      digits(figures.of('empty', name)),
      digits(memory),
      own.some((program) => program.name === name) ? reached : '',
    ];
  });
  const items = ROWS.toLocaleString('en-US');
  const head = ['', 'first 200', 'MiB in RAM, empty', `with ${items} items`];
  return table([...head, `at most ${MOST_START}×, and Fastify's memory`], lines);
}
