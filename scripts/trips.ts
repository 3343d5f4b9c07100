// `npm run trips`: which files of src a request passes, and how often a call goes from one file to
// another on its way. With `--write`, docs/architecture.md lists what it has found.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { connect } from 'node:net';
import { relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { rowsOf } from '../bench/lib/rows.ts';
import { type Config, parseCommand } from '../src/lib/config/index.ts';
import { App, configuredApp } from '../src/service/app.ts';
import { ITEM_SETTINGS, SETTINGS } from '../src/service/settings/settings.ts';
import { configuredStore } from '../src/service/store/configured-store.ts';
import type { Store } from '../src/service/store/store.ts';
import { FakeEtcd } from '../test/lib/replica/support/fake-etcd.ts';

/** A way through src. */
export interface Trip {
  readonly title: string;
  /** The files in the order in which they are first called, each with its functions that are. */
  readonly files: ReadonlyMap<string, readonly string[]>;
  /** How many calls went from one file to another, or from Node to a file. */
  readonly hops: number;
}

/** A function of a script, by the offsets of its source. */
interface FunctionRange {
  readonly url: string;
  readonly start: number;
  readonly end: number;
}

/** A call: the script of the function, and that of its caller; undefined if V8 calls it. */
interface Call {
  readonly url: string;
  readonly name: string;
  readonly caller: string | undefined;
}

const SRC = new URL('../src/', import.meta.url);
const PAGE = fileURLToPath(new URL('../docs/architecture.md', import.meta.url));

const TOKEN = 'secret';

/** How long everything that a request has begun takes to end, in milliseconds. */
const SETTLING_MS = 30;

/** What the main thread and the counter, a thread of its own, find together. */
class Tracer {
  readonly #session = new Session();
  readonly #counter = new Worker(new URL('./call-counter.js', import.meta.url), { execArgv: [] });

  async start(): Promise<void> {
    this.#session.connect();
    await this.#session.post('Profiler.enable');
    await this.#session.post('Profiler.startPreciseCoverage', { callCount: true });
    await once(this.#counter, 'message');
  }

  async stop(): Promise<void> {
    this.#session.disconnect();
    await this.#counter.terminate();
  }

  /**
   * Traces the third run of some work. The first one also does what is done once; the second one
   * tells which functions are called.
   * @param end undoes the work; what it calls does not count
   */
  async trace(title: string, work: () => Promise<void>, end = async () => {}): Promise<Trip> {
    await work();
    await end();
    await this.#session.post('Profiler.takePreciseCoverage');
    await work();
    const functions = functionsOf(await this.#session.post('Profiler.takePreciseCoverage'));
    await end();
    await this.#ask(functions);
    await work();
    const calls = (await this.#ask('calls')) as readonly Call[];
    await end();
    const files = new Map<string, string[]>();
    for (const { url, name } of calls) {
      const file = relative(fileURLToPath(SRC), fileURLToPath(url));
      files.set(file, [...(files.get(file) ?? []), name]);
    }
    return { title, files, hops: calls.filter(isHop).length };
  }

  async #ask(request: readonly FunctionRange[] | 'calls'): Promise<unknown> {
    this.#counter.postMessage(request);
    const [answer] = await once(this.#counter, 'message');
    return answer;
  }
}

/** Whether a call comes from another file of src, or from Node, and not from a script or a test. */
function isHop({ url, caller = 'node:' }: Call): boolean {
  return url !== caller && (caller.startsWith(SRC.href) || caller.startsWith('node:'));
}

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly ranges: readonly {
        readonly startOffset: number;
        readonly endOffset: number;
        readonly count: number;
      }[];
    }[];
  }[];
}

/** The functions of src that have been called. */
function functionsOf({ result }: Coverage): readonly FunctionRange[] {
  return result
    .filter(({ url }) => url.startsWith(SRC.href))
    .flatMap(({ url, functions }) =>
      functions.flatMap(({ ranges: [whole] }) =>
        whole !== undefined && whole.count > 0
          ? [{ url, start: whole.startOffset, end: whole.endOffset }]
          : [],
      ),
    );
}

/** Five trips: four requests to a service in memory, and the start of a replica. */
export async function trips(): Promise<readonly Trip[]> {
  const tracer = new Tracer();
  await tracer.start();
  const found = [...(await requestTrips(tracer)), await startTrip(tracer)];
  await tracer.stop();
  return found;
}

/** The items, whose texts are those that the benchmarks search. */
const SEED = [...rowsOf(5)].map((row) => ({ ...row }));

async function requestTrips(tracer: Tracer): Promise<readonly Trip[]> {
  let changes = 0;
  const change = () => {
    changes++;
    return JSON.stringify({ title: `Title ${changes}`, description: `Description ${changes}` });
  };
  const service = await start({});
  const found = [
    await tracer.trace('A GET by id', () => service.ask('GET /api/todos/3')),
    await tracer.trace('A search', () => service.ask('GET /api/todos?search=meet&completed=false')),
    await tracer.trace('A PUT', () => service.ask('PUT /api/todos/3', change())),
  ];
  await service.stop();
  const tested = await start({ ADMIN_TOKEN: TOKEN });
  found.push(await tracer.trace('A reset', () => tested.ask('POST /admin/reset')));
  await tested.stop();
  return found;
}

/** Starts a service in memory, and connects to it. */
async function start(env: Readonly<Record<string, string>>) {
  const config = configOf(env);
  const { variant } = config.of(ITEM_SETTINGS);
  const app = new App(variant, { config, seed: SEED, http: { connectionsCheckingInterval: 1e9 } });
  const { port } = await app.listen(0, '127.0.0.1');
  const socket = connect(port, '127.0.0.1');
  return {
    async ask(line: string, content = ''): Promise<void> {
      const type = content === '' ? '' : 'Content-Type: application/json\r\n';
      const length = line.startsWith('GET') ? '' : `Content-Length: ${content.length}\r\n`;
      const token = 'ADMIN_TOKEN' in env ? `Authorization: Bearer ${TOKEN}\r\n` : '';
      const fields = `Host: localhost\r\n${type}${length}${token}`;
      socket.write(`${line} HTTP/1.1\r\n${fields}\r\n${content}`);
      await once(socket, 'data');
      await sleep(SETTLING_MS);
    },
    async stop(): Promise<void> {
      socket.destroy();
      await app.stop(0);
    },
  };
}

function configOf(env: Readonly<Record<string, string>>): Config {
  const command = parseCommand(SETTINGS, [], env);
  assert(command.name === 'serve');
  return command.config;
}

async function startTrip(tracer: Tracer): Promise<Trip> {
  const etcd = new FakeEtcd();
  const endpoints = await etcd.listen();
  const env = { STORE: 'etcd', ETCD_ENDPOINTS: endpoints, STORE_TIMEOUT_MS: '60000' };
  const config = configOf(env);
  const list = config.of(ITEM_SETTINGS);
  let app: App | undefined;
  const begin = async () => {
    const open = await configuredStore(config, list, () => {}, assert.fail);
    let store: Store | undefined;
    app = await configuredApp(config, {
      seed: SEED,
      openStore: (items, run) => {
        store = open(items, run);
        return store;
      },
    });
    await app.listen(0, '127.0.0.1');
    await store?.catchUp?.();
  };
  const stop = async () => {
    await app?.stop(0);
  };
  const trip = await tracer.trace('A start with etcd', begin, stop);
  etcd.close();
  return trip;
}

/** The first sentence that a file of src says of the first of some functions, or of its class. */
function sentenceOf(file: string, functions: readonly string[]): string {
  const source = readFileSync(new URL(file, SRC), 'utf8');
  const names = functions.map((name) => name.replace(/^(?:get |set |static )?.*\./, ''));
  const [comment = ''] = [...names, ...CLASS_OR_ANY].flatMap((name) => {
    const declaration = `(?:export )?(?:abstract |async |readonly |get |class |function\\*? |const |\\*)*`;
    const pattern = `/\\*\\*((?:(?!\\*/).)*)\\*/\\n *${declaration}${name}(?= *[(<=:{;]| extends| implements)`;
    return name === '' ? [] : (new RegExp(pattern, 's').exec(source)?.[1] ?? []);
  });
  const text = comment
    .replaceAll(/\n +\* ?/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return /^.*?\.(?= |$)/.exec(text)?.[0] ?? text;
}

/** What describes a file if none of its functions does: a class, else its first export. */
const CLASS_OR_ANY = [
  'export (?:abstract )?class \\w+',
  'export (?:const|function|interface) \\w+',
];

/** The section of the page about a trip. */
export function sectionOf({ title, files, hops }: Trip): string {
  const width = Math.max(...[...files.keys()].map(({ length }) => length)) + 6;
  const entries = [...files].map(([file, functions]) => {
    const lines = wrapped(sentenceOf(file, functions), 100 - width);
    return `    ${file}`.padEnd(width) + lines.join(`\n${' '.repeat(width)}`);
  });
  return `### ${title}\n\n${files.size} files, ${hops} hops.\n\n${entries.join('\n')}\n`;
}

/** The lines of a text, none longer than a width unless a word is. */
function wrapped(text: string, width: number): readonly string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = `${lines.at(-1)} ${word}`.trim();
    if (line.length <= width) lines.splice(-1, 1, line);
    else lines.push(word);
  }
  return lines;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const found = await trips();
  for (const trip of found) process.stdout.write(`${sectionOf(trip)}\n`);
  if (process.argv.includes('--write')) {
    const [before = ''] = readFileSync(PAGE, 'utf8').split(/^(?=### )/m);
    writeFileSync(PAGE, `${before}${found.map(sectionOf).join('\n')}`);
  }
}
