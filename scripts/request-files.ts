// `npm run request-files`: which files of src a request passes, by what V8 has seen run meanwhile.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Session } from 'node:inspector/promises';
import { connect, type Socket } from 'node:net';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rowsOf } from '../bench/lib/rows.ts';
import { Config } from '../src/lib/config/index.ts';
import { App } from '../src/service/app.ts';
import { VARIANTS } from '../src/service/todo/variants.ts';

/** Each request, and the maximum number of files that it may pass. */
const REQUESTS = [
  ['a GET by id', '/api/todos/7', 25],
  ['a search', '/api/todos?search=meet&completed=false', 45],
] as const;

const SRC = new URL('../src/', import.meta.url);

/** The items, whose texts are those that the benchmarks search. */
const SEED = [...rowsOf(1_000)].map((row) => ({ ...row }));

const variant = VARIANTS.get(process.argv[2] ?? 'a');
assert(variant, 'usage: npm run request-files [-- a|b]');
const app = new App(variant, { config: new Config(), seed: SEED });
const { port } = await app.listen(0, '127.0.0.1');
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true });
const socket = connect(port, '127.0.0.1');
for (const [what, target, most] of REQUESTS) {
  // The first of its kind also passes what is made once, when it is first needed.
  await ask(socket, target);
  await session.post('Profiler.takePreciseCoverage');
  await ask(socket, target);
  const files = filesOf(await session.post('Profiler.takePreciseCoverage'));
  process.stdout.write(`${what}: ${files.length} files, of at most ${most}\n`);
  for (const file of files) process.stdout.write(`  ${file}\n`);
  if (files.length > most) process.exitCode = 1;
}
socket.destroy();
await app.stop(0);

async function ask(client: Socket, target: string): Promise<void> {
  client.write(`GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  await once(client, 'data');
}

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[];
  }[];
}

/** The files of src of which a function has run. */
function filesOf({ result }: Coverage): readonly string[] {
  return result
    .filter(({ url }) => url.startsWith(SRC.href))
    .filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0))
    .map(({ url }) => relative(fileURLToPath(SRC), fileURLToPath(url)))
    .sort();
}
