import { existsSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { serviceOf, withoutRows } from '../http/programs.ts';
import { newRow } from '../http/requests.ts';
import { progress, table, verdict } from '../lib/report.ts';
import { rowOf } from '../lib/rows.ts';
import { directory } from '../lib/scratch.ts';
import { Server } from '../lib/server.ts';
import { digits, quantile } from '../lib/stats.ts';

const PROBE = fileURLToPath(new URL('../lib/turns.js', import.meta.url));
const TURNS = join(directory, 'turns.json');
const TOKEN = 'bench';
const BATCH = 100;
/** For background work, which the endless turns of the probe hide. */
const REST_MS = 300;
/** The rows of the works before those that are measured. */
const WARM_UP_ROWS = 1_000;

/** Items with descriptions of 1,000 Greek capitals, and how many of them have less than 64 KiB. */
const LONG_TEXTS = 2_048;
const LONG_BATCH = 30;

/** The most milliseconds of a turn, less collections: with content of a mebibyte, and without. */
const MOST_MS = 4;
const MOST_OF_A_MEBIBYTE_MS = 20;
/** The number of rows for which these are promised. */
const PROMISED_ROWS = 400_000;
/** The most milliseconds of other clients' 99th percentile beside heavy queries. */
const MOST_P99_MS = 10;
const HEAVY_QUERIES = 30;

interface Work {
  readonly what: string;
  readonly mostMs: number;
  readonly run: (server: Server, rows: number) => Promise<unknown>;
}

const WORKS: readonly Work[] = [
  {
    what: 'the first query by a column',
    mostMs: MOST_MS,
    run: (server) => ask(server, 'GET', '?createdAt.gte=2026-01-01T00:00:00Z&limit=20'),
  },
  {
    what: 'a batch of 100 items',
    mostMs: MOST_MS,
    run: (server) => ask(server, 'POST', '/batch', batch(0)),
  },
  {
    what: 'four sorts of everything',
    mostMs: MOST_MS,
    run: (server) =>
      Promise.all(
        ['title', '-title', 'description', '-priority,title'].map((sort) =>
          ask(server, 'GET', `?sort=${sort}&limit=100`),
        ),
      ),
  },
  {
    what: 'four bulk writes of all rows, with single writes',
    mostMs: MOST_MS,
    run: (server, rows) => besideSingleWrites(server, rows, bulkWrites(server)),
  },
  {
    what: 'a change of every text under an open list',
    mostMs: MOST_MS,
    run: async (server) => {
      const list = connect(server.port, '127.0.0.1').pause();
      list.write(`GET ${new URL(server.list).pathname} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
      await sleep(200);
      await ask(server, 'PATCH', '?id.gte=1', '{"description":"changed"}');
      list.destroy();
    },
  },
  {
    what: 'a reset to 1 MiB of short items',
    mostMs: MOST_OF_A_MEBIBYTE_MS,
    run: (server) => admin(server, shortItems()),
  },
  {
    what: 'long Greek texts: batches, a sort, 150 searches',
    mostMs: MOST_MS,
    run: async (server) => {
      for (let first = 0; first < LONG_TEXTS; first += LONG_BATCH) {
        await ask(server, 'POST', '/batch', longItems(first));
      }
      await ask(server, 'GET', '?sort=description.ignoreCase&limit=100');
      const searches = 'description.containsIgnoreCase=%CE%B1&'.repeat(150);
      await ask(server, 'GET', `?${searches}limit=1`);
    },
  },
];

/** Those of the last works, which replace the rows. */
const REPLACING_WORKS = 2;

/**
 * The longest turn of the event loop in each work, less V8's collections, and the time of other
 * clients beside heavy queries.
 */
export async function turns(sizes: readonly number[], rounds: number): Promise<string> {
  const lines: string[][] = [];
  const waits: string[] = [];
  const cells = new Map<string, string[]>(WORKS.map(({ what }) => [what, []]));
  const verdicts = new Map<string, string>();
  for (const rows of sizes) {
    const longest = new Map<string, number[]>();
    const p99s: number[] = [];
    for (let round = 0; round < rounds; round++) {
      progress(`turns with ${rows} rows, round ${round + 1} of ${rounds}`);
      const server = await startWith(rows);
      for (const { what, run } of WORKS.slice(0, -REPLACING_WORKS)) {
        await measure(what, () => run(server, rows));
      }
      p99s.push(await p99BesideHeavyQueries(server, rows));
      for (const { what, run } of WORKS.slice(-REPLACING_WORKS)) {
        await measure(what, () => run(server, rows));
      }
      await server.stop();

      async function measure(what: string, run: () => Promise<unknown>): Promise<void> {
        await sleep(REST_MS);
        await longestTurn(server);
        await run();
        longest.set(what, [...(longest.get(what) ?? []), await longestTurn(server)]);
      }
    }
    for (const { what, mostMs } of WORKS) {
      const worst = Math.max(...(longest.get(what) ?? []));
      cells.get(what)?.push(digits(worst));
      if (rows === PROMISED_ROWS) verdicts.set(what, `${mostMs}: ${verdict(worst <= mostMs)}`);
    }
    const p99 = Math.max(...p99s);
    waits.push(digits(p99));
    if (rows === PROMISED_ROWS) {
      verdicts.set('p99', `${MOST_P99_MS}: ${verdict(p99 <= MOST_P99_MS)}`);
    }
  }
  for (const [what, each] of cells) lines.push([what, ...each, verdicts.get(what) ?? '']);
  const beside = `p99 of other clients beside ${HEAVY_QUERIES} heavy queries, in ms`;
  lines.push([beside, ...waits, verdicts.get('p99') ?? '']);
  const head = sizes.map((rows) => `${rows.toLocaleString('en-US')} rows`);
  const promised = `at most, with ${PROMISED_ROWS.toLocaleString('en-US')} rows`;
  return table(['longest turn, in ms', ...head, promised], lines);
}

/** A batch of items whose descriptions differ at their ends. */
function longItems(first: number): string {
  const items = Array.from({ length: LONG_BATCH }, (_, i) => ({
    title: 'x',
    description: `${'ΑΒΓΔ'.repeat(249)}${first + i}`,
  }));
  return JSON.stringify(items);
}

async function startWith(rows: number): Promise<Server> {
  const program = withoutRows(serviceOf('B'));
  const server = await Server.start({
    ...program,
    isUnpinned: true,
    args: ['--import', PROBE, ...program.args],
    env: { ...program.env, ADMIN_TOKEN: TOKEN, TURNS },
  });
  // V8 compiles a function when it is first called.
  await fill(server, WARM_UP_ROWS);
  for (const { run } of WORKS) await run(server, WARM_UP_ROWS);
  await admin(server, '[]');
  await fill(server, rows);
  return server;
}

async function fill(server: Server, rows: number): Promise<void> {
  for (let first = 0; first < rows; first += BATCH) {
    await ask(server, 'POST', '/batch', batch(first));
  }
}

function batch(first: number): string {
  const rows = Array.from({ length: BATCH }, (_, i) => {
    const { title, description, priority } = rowOf(first + i + 1);
    return JSON.stringify({ title, description, priority });
  });
  return `[${rows.join()}]`;
}

/** A mebibyte of items that are as short as they can be. */
function shortItems(): string {
  const item = '{"title":"x"}';
  const count = Math.floor((2 ** 20 - 1) / (item.length + 1));
  return `[${Array.from({ length: count }, () => item).join()}]`;
}

function bulkWrites(server: Server): Promise<unknown> {
  return Promise.all(
    [true, false, true, false].map((completed) =>
      ask(server, 'PATCH', '?id.gte=1', JSON.stringify({ completed })),
    ),
  );
}

async function besideSingleWrites(
  server: Server,
  rows: number,
  work: Promise<unknown>,
): Promise<void> {
  let isOver = false;
  const ended = work.finally(() => {
    isOver = true;
  });
  for (let i = 0; !isOver; i++) {
    await ask(server, 'PATCH', `/${1 + ((i * 7919) % rows)}`, '{"priority":3}');
  }
  await ended;
}

/** The 99th percentile of reads and writes of an item beside heavy queries, in milliseconds. */
async function p99BesideHeavyQueries(server: Server, rows: number): Promise<number> {
  let isOver = false;
  const queries = Promise.all(
    Array.from({ length: HEAVY_QUERIES }, (_, i) =>
      ask(server, 'GET', `?search=the&sort=-title,priority&title.contains=${i % 10}&limit=100`),
    ),
  ).finally(() => {
    isOver = true;
  });
  const times: number[] = [];
  for (let i = 0; !isOver; i++) {
    const begin = performance.now();
    const path = `/${1 + ((i * 7919) % rows)}`;
    await (i % 2 === 0 ? ask(server, 'GET', path) : ask(server, 'PUT', path, newRow(i)));
    times.push(performance.now() - begin);
  }
  await queries;
  return quantile(
    times.toSorted((a, b) => a - b),
    0.99,
  );
}

/** The longest turn since the last call, in milliseconds, less collections. */
async function longestTurn(server: Server): Promise<number> {
  rmSync(TURNS, { force: true });
  server.signal('SIGUSR2');
  while (!existsSync(TURNS)) await sleep(10);
  // Written at once, but perhaps not yet whole.
  await sleep(10);
  const all: { ms: number; gcMs: number }[] = JSON.parse(readFileSync(TURNS, 'utf8'));
  return Math.max(0, ...all.map(({ ms, gcMs }) => ms - gcMs));
}

const agent = new Agent({ keepAlive: true });

function admin({ port }: Server, seed: string): Promise<number> {
  return send(`http://127.0.0.1:${port}/admin/reset`, 'POST', seed);
}

function ask({ list }: Server, method: string, path: string, content?: string): Promise<number> {
  return send(list + path, method, content);
}

/** Sends a request again while the server has no room for it. @returns the status */
async function send(url: string, method: string, content = ''): Promise<number> {
  for (;;) {
    const status = await new Promise<number>((resolve, reject) => {
      const headers = {
        'Content-Type': 'application/json',
        Authorization: `Bearer ${TOKEN}`,
        'Content-Length': Buffer.byteLength(content),
      };
      request(url, { agent, method, headers }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode ?? 0));
      })
        .on('error', reject)
        .end(content);
    });
    if (status === 503) await sleep(1_000);
    else if (status >= 400) throw new Error(`${method} ${url}: ${status}`);
    else return status;
  }
}
