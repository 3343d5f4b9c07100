import { hasSetting, serviceOf, withoutRows, withRows } from '../http/programs.ts';
import { newRow } from '../http/requests.ts';
import type { Version } from '../lib/commit.ts';
import { Figures } from '../lib/figures.ts';
import { progress, table } from '../lib/report.ts';
import { type Program, Server } from '../lib/server.ts';
import { digits, duration } from '../lib/stats.ts';
import { runSuite } from './suite.ts';

export const TOKEN = 'bench';

const MIB = 2 ** 20;
const LISTS = 100;
const ITEMS_OF_A_LIST = 20;
const WORKERS = 4;
const TESTS = 100;

type Builds = readonly (Version & { readonly dist: string })[];

/** A service with `/admin`, and few items, as a test suite has. */
function withAdmin(program: Program): Program {
  const small = withRows(program, ITEMS_OF_A_LIST);
  return { ...small, env: { ...small.env, ADMIN_TOKEN: TOKEN } };
}

/**
 * A reset, the lists of a server, and four workers of a test suite: each with its own list on one
 * server, and each with its own server.
 */
export async function lists(rounds: number, builds: Builds): Promise<string> {
  const own = serviceOf('A');
  const programs = [own, ...builds.map(({ name, dist }) => serviceOf('A', dist, name))];
  const figures = new Figures();
  for (let round = 0; round < rounds; round++) {
    for (const program of programs) {
      progress(`resets and suites, round ${round + 1} of ${rounds}: ${program.name}`);
      await measureReset(program, figures);
      await measureSuite('four servers', program, WORKERS, figures);
      if (!hasSetting(program, '--lists')) continue;
      await measureSuite('one server, four lists', program, 1, figures);
      await measureLists(program, figures);
    }
  }
  const rows: readonly (readonly [what: string, text: (figure: number) => string])[] = [
    [`a reset to ${(1_000).toLocaleString('en-US')} items`, duration],
    [`${LISTS} lists of ${ITEMS_OF_A_LIST} items, in all`, duration],
    ['memory of them', (bytes) => `${digits(bytes / MIB)} MiB`],
    ...['four servers', 'one server, four lists'].flatMap(
      (what) =>
        [
          [`${what}: elapsed`, duration],
          [`${what}: processor time`, duration],
          [`${what}: memory`, (bytes: number) => `${digits(bytes / MIB)} MiB`],
        ] as const,
    ),
  ];
  const lines = rows.map(([what, text]) => [
    what,
    ...programs.map(({ name }) => {
      const figure = figures.of(what, name);
      return Number.isNaN(figure) ? '–' : text(figure);
    }),
  ]);
  return table(['', ...programs.map(({ name }) => name)], lines);
}

async function measureReset(program: Program, figures: Figures): Promise<void> {
  const server = await Server.start({
    ...program,
    env: { ...program.env, ADMIN_TOKEN: TOKEN },
  });
  const begin = performance.now();
  await admin(server, 'POST', '/admin/reset');
  const ms = performance.now() - begin;
  figures.add('a reset to 1,000 items', program.name, ms * 1_000);
  await server.stop();
}

async function measureLists(program: Program, figures: Figures): Promise<void> {
  // The list at the base is empty, because a hundred lists with names take all memory for items.
  const server = await Server.start(withoutRows(withAdmin(program)));
  await server.rest();
  const before = server.residentBytes();
  const seed = `[${Array.from({ length: ITEMS_OF_A_LIST }, (_, i) => newRow(i)).join()}]`;
  const begin = performance.now();
  for (let i = 0; i < LISTS; i++) await admin(server, 'PUT', `/admin/lists/worker-${i}`, seed);
  const ms = performance.now() - begin;
  figures.add(`${LISTS} lists of ${ITEMS_OF_A_LIST} items, in all`, program.name, ms * 1_000);
  figures.add('memory of them', program.name, server.residentBytes() - before);
  await server.stop();
}

/** Runs four workers of a suite against one server with a list for each, or against four servers. */
async function measureSuite(
  what: string,
  program: Program,
  count: number,
  figures: Figures,
): Promise<void> {
  const servers: Server[] = [];
  for (let i = 0; i < count; i++) servers.push(await Server.start(withAdmin(program)));
  const targets = Array.from({ length: WORKERS }, async (_, worker) => {
    const server = servers[worker % count];
    if (!server) throw new Error('there is no server');
    const { origin } = new URL(server.list);
    if (count === WORKERS) return origin;
    await admin(server, 'PUT', `/admin/lists/worker-${worker}`);
    return `${origin}/lists/worker-${worker}`;
  });
  const bases = await Promise.all(targets);
  const cpu = () => servers.reduce((sum, server) => sum + server.cpuSeconds(), 0);
  const [begin, before] = [performance.now(), cpu()];
  await Promise.all(bases.map((base) => runSuite(base, TOKEN, TESTS)));
  figures.add(`${what}: elapsed`, program.name, (performance.now() - begin) * 1_000);
  figures.add(`${what}: processor time`, program.name, (cpu() - before) * 1e6);
  const memory = servers.reduce((sum, server) => sum + server.residentBytes(), 0);
  figures.add(`${what}: memory`, program.name, memory);
  for (const server of servers) await server.stop();
}

async function admin(
  { list }: Server,
  method: string,
  path: string,
  body: string | null = null,
): Promise<void> {
  const type = body === null ? {} : { 'content-type': 'application/json' };
  const headers = { authorization: `Bearer ${TOKEN}`, ...type };
  const response = await fetch(new URL(path, list), { method, headers, body });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`);
}
