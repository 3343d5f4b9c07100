import { table } from '../lib/report.ts';
import { Server } from '../lib/server.ts';
import { digits } from '../lib/stats.ts';
import { OTHERS } from './others.ts';
import { OURS, startWithRows } from './programs.ts';

const MIB = 1024 * 1024;
const ROWS = 1_000;

/** The memory in RAM of every server, right after its start and with 1,000 items, in MiB. */
export async function footprints(): Promise<string> {
  const lines: string[][] = [];
  for (const program of [...OURS, ...OTHERS]) {
    const empty = await Server.start(program);
    await empty.rest();
    const [full] = await startWithRows([program], ROWS);
    if (full === undefined) throw new Error('no server');
    await full.rest();
    const bytes = [empty, full].map((server) => digits(server.residentBytes() / MIB));
    lines.push([program.name, ...bytes]);
    await empty.stop();
    await full.stop();
  }
  return table(['MiB in RAM', 'after start', 'with 1,000 items'], lines);
}
