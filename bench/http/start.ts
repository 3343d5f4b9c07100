import { Figures } from '../lib/figures.ts';
import { progress, table, verdict } from '../lib/report.ts';
import { Server } from '../lib/server.ts';
import { alternating, digits } from '../lib/stats.ts';
import { OTHERS } from './others.ts';
import { floorOf, OURS } from './programs.ts';

/** The most that a start may take, as a multiple of that of bare `node:http`. */
const TIMES = 1.7;
/** Starts in each round; several, because a start takes only a fraction of a second. */
const ROUNDS_PER_ROUND = 4;

/** The time from the start of the process to its first 200. */
export async function starts(rounds: number): Promise<string> {
  const floor = floorOf('bare node:http');
  const programs = [floor, ...OURS, ...OTHERS];
  const figures = new Figures();
  for (let round = 0; round < rounds * ROUNDS_PER_ROUND; round++) {
    for (const program of alternating(programs, round)) {
      const server = await Server.start(program);
      figures.add('start', program.name, server.startMs);
      await server.stop();
    }
  }
  progress('starts are measured');
  const lines = programs.map((program) => {
    const ratio = figures.ratio('start', program.name, floor.name);
    return [
      program.name,
      `${digits(figures.of('start', program.name))} ms`,
      `${ratio.toFixed(2)} ×`,
      OURS.includes(program) ? verdict(ratio <= TIMES) : '',
    ];
  });
  return table(['first 200 after start', 'time', 'of node:http', `at most ${TIMES} ×`], lines);
}
