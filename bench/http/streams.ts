import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Figures } from '../lib/figures.ts';
import { progress, table } from '../lib/report.ts';
import { rowsOf } from '../lib/rows.ts';
import type { Server } from '../lib/server.ts';
import { alternating, digits } from '../lib/stats.ts';
import { SECONDS_TO_SPEED } from '../lib/warm-up.ts';
import { load } from '../lib/wrk.ts';
import { OURS, startWithRows } from './programs.ts';
import { requestFile } from './requests.ts';

const ROWS = 1000;
const STREAMS = [0, 1000];

/**
 * What a POST costs the server while event streams are open that read; with `BENCH_DIST`, what it
 * cost another version.
 */
export async function streams(rounds: number, seconds: number): Promise<string> {
  const posts = requestFile('post', rowsOf(ROWS));
  const figures = new Figures();
  for (let round = 0; round < rounds; round++) {
    progress(`streams, round ${round + 1} of ${rounds}`);
    for (const count of alternating(STREAMS, round)) {
      for (const server of await startWithRows(OURS, ROWS)) {
        await load(server, posts, SECONDS_TO_SPEED);
        const open = await Promise.all(Array.from({ length: count }, () => listen(server)));
        const { cpuMicroseconds } = await load(server, posts, seconds, { connections: 1 });
        figures.add(server.name, String(count), cpuMicroseconds);
        for (const socket of open) socket.destroy();
        await server.stop();
      }
    }
  }
  return table(
    [
      'processor time of a POST',
      ...STREAMS.map((count) => `beside ${count.toLocaleString('en-US')} streams`),
    ],
    OURS.map(({ name }) => [
      name,
      ...STREAMS.map((count) => `${digits(figures.of(name, String(count)))} µs`),
    ]),
  );
}

/** An event stream whose client reads all that comes and keeps none of it. */
async function listen({ port }: Server): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.write('GET /api/todos/events HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await once(socket, 'data');
  return socket.resume();
}
