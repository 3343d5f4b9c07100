import { type ClientRequest, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { peers, ROWS, serviceOf, withRows } from '../http/programs.ts';
import { batchFile, requestFile } from '../http/requests.ts';
import type { Version } from '../lib/commit.ts';
import { progress, table } from '../lib/report.ts';
import { rowsOf } from '../lib/rows.ts';
import { type Program, Server } from '../lib/server.ts';
import { duration, median } from '../lib/stats.ts';
import { load } from '../lib/wrk.ts';

/** A newcomer comes this often, in milliseconds. */
const EVERY_MS = 20;
/** The clients that request lists and do not read them, and the items of these lists. */
const SILENT_CLIENTS = 400;
const ITEMS_OF_UNREAD_LISTS = 10_000;
/** A silent client's buffer, in bytes: the rest of its list has to wait in the server. */
const HIGH_WATER_MARK = 4_096;

/** What keeps a server busy while newcomers come, for some seconds. */
type Work = (server: Server, seconds: number) => Promise<unknown>;

const WORK: Readonly<Record<string, Work>> = {
  nothing: (_, seconds) => sleep(seconds * 1_000),
  lists: (server, seconds) => load(server, requestFile('list', rowsOf(ROWS)), seconds),
  searches: (server, seconds) => load(server, requestFile('search', rowsOf(ROWS)), seconds),
  'batches of 100': (server, seconds) => load(server, batchFile(), seconds),
  [`${SILENT_CLIENTS} lists that nobody reads`]: unreadLists,
};

/**
 * The time from a new connection to the response to its GET of an item, while other clients keep
 * the server busy. Each newcomer connects during the load.
 */
export async function newcomers(
  seconds: number,
  builds: readonly (Version & { readonly dist: string })[],
): Promise<string> {
  const fastify = peers().filter(({ name }) => name === 'Fastify A');
  const programs = [
    serviceOf('A'),
    ...builds.map(({ name, dist }) => serviceOf('A', dist, name)),
    ...fastify,
  ];
  const lines: string[][] = [];
  for (const [what, work] of Object.entries(WORK)) {
    const cells: string[] = [];
    for (const program of programs) {
      progress(`newcomers during ${what}: ${program.name}`);
      const isPossible = !(what.startsWith('batch') && fastify.includes(program));
      cells.push(
        isPossible
          ? await waits(work === unreadLists ? withRows(program, ITEMS_OF_UNREAD_LISTS) : program)
          : '–',
      );
    }
    lines.push([what, ...cells]);

    async function waits(program: Program): Promise<string> {
      const server = await Server.start(program);
      const waits = await newcomersDuring(server, work(server, seconds));
      await server.stop();
      const served = waits.filter((ms) => ms !== undefined);
      const refused = waits.length - served.length;
      const text = `${duration(median(served) * 1_000)}, ${duration(Math.max(...served) * 1_000)}`;
      return refused === 0 ? text : `${text} (${refused} of ${waits.length} refused)`;
    }
  }
  return table(['median, worst wait', ...programs.map(({ name }) => name)], lines);
}

async function newcomersDuring(
  server: Server,
  work: Promise<unknown>,
): Promise<(number | undefined)[]> {
  const times: Promise<number | undefined>[] = [];
  let isOver = false;
  const ended = work.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    times.push(newcomer(server));
    await Promise.race([sleep(EVERY_MS), ended]);
  }
  await ended;
  return Promise.all(times);
}

/**
 * The milliseconds until a client with a new connection has the response to a GET of an item;
 * undefined if it gets an error.
 */
function newcomer({ list }: Server): Promise<number | undefined> {
  const begin = performance.now();
  return new Promise((resolve) => {
    const sent: ClientRequest = request(`${list}/1`, { agent: false }, (response) => {
      response.resume();
      response.on('end', () => {
        resolve(response.statusCode === 200 ? performance.now() - begin : undefined);
      });
    });
    sent.on('error', () => resolve(undefined)).end();
  });
}

async function unreadLists({ port, list }: Server, seconds: number): Promise<void> {
  const head = `GET ${new URL(list).pathname} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`;
  const clients: Socket[] = [];
  for (let i = 0; i < SILENT_CLIENTS; i++) {
    const options = { port, host: '127.0.0.1', readableHighWaterMark: HIGH_WATER_MARK };
    const client = connect(options, () => client.pause().write(head));
    // The server may close it, because it takes too long.
    client.on('error', () => client.destroy());
    clients.push(client);
  }
  await sleep(seconds * 1_000);
  for (const client of clients) client.destroy();
}
