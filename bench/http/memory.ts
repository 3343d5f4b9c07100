import { setTimeout as sleep } from 'node:timers/promises';
import { progress, table, verdict } from '../lib/report.ts';
import type { Program, Server } from '../lib/server.ts';
import { digits } from '../lib/stats.ts';
import { MAP, OURS, startWithRows } from './programs.ts';

const TIMES = 2.5;

/**
 * The memory of a million todos: the bytes in use with them, less those without, both after garbage
 * collection.
 */
export async function memories(rows: number): Promise<string> {
  const map = await bytesOf(MAP, rows);
  const lines = [[MAP.name, digits(map), '', '', '']];
  for (const program of OURS) {
    const bytes = await bytesOf(program, rows);
    const ratio = bytes / map;
    const target = `at most ${TIMES} ×`;
    lines.push([
      program.name,
      digits(bytes),
      `${ratio.toFixed(2)} ×`,
      target,
      verdict(ratio <= TIMES),
    ]);
  }
  const title = `memory for ${rows.toLocaleString('en-US')} todos`;
  return table([title, 'bytes a todo', 'of the Map', 'target', ''], lines);
}

async function bytesOf(program: Program, rows: number): Promise<number> {
  progress(`memory: ${program.name}`);
  const [empty] = await startWithRows([program], 0, { probed: true });
  const [full] = await startWithRows([program], rows, { probed: true });
  if (!empty || !full) throw new Error('no server');
  const bytes = (await settled(full)) - (await settled(empty));
  await empty.stop();
  await full.stop();
  return bytes / rows;
}

/**
 * Waits until a server has finished its background work, such as indexing, and its memory is
 * stable.
 */
async function settled(server: Server): Promise<number> {
  for (let before = Number.NaN; ; ) {
    const bytes = await server.memory();
    if (Math.abs(bytes - before) < bytes / 1000) return bytes;
    before = bytes;
    await sleep(1000);
  }
}
