import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { CLIENT_CORE, SERVER_CORE } from './cores.ts';

/** A program that serves todos. */
export interface Program {
  readonly name: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Whether the threads of V8 may use the core of the clients, so that none stops the main one. */
  readonly isUnpinned?: boolean;
  /** The path before `/api`, such as that of a list with a name. */
  readonly prefix?: string;
}

const PATIENCE_MS = 60_000;
/** How long a process has to be idle, in milliseconds, and its processor time until then. */
const IDLE_MS = 30;
const IDLE_CPU_SECONDS = 0.001;
/** One thread of V8 beside the main one, as in the images. */
const NODE_OPTIONS = '--v8-pool-size=1';

/** The processes that run. They end with this one, also after an error. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** A running server on its own core. */
export class Server {
  readonly name: string;
  readonly port: number;
  /** The URL of the list of todos. */
  readonly list: string;
  /** From the start of the process to the first 200, in milliseconds. */
  readonly startMs: number;
  readonly #process: ChildProcess;

  private constructor(program: Program, port: number, startMs: number, process: ChildProcess) {
    this.name = program.name;
    this.port = port;
    this.list = listOf(program, port);
    this.startMs = startMs;
    this.#process = process;
  }

  /** Starts a program and waits for its first response. */
  static async start(program: Program): Promise<Server> {
    const { name, args, env, isUnpinned = false } = program;
    const cores = isUnpinned ? `${SERVER_CORE},${CLIENT_CORE}` : String(SERVER_CORE);
    const port = await freePort();
    const begin = performance.now();
    const child = spawn('taskset', ['-c', cores, process.execPath, ...args], {
      env: {
        PATH: process.env.PATH,
        NODE_ENV: 'production',
        NODE_OPTIONS,
        ...env,
        PORT: `${port}`,
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    running.add(child);
    child.once('exit', () => running.delete(child));
    while (!(await answers(listOf(program, port)))) {
      if (child.exitCode !== null || performance.now() - begin > PATIENCE_MS) {
        child.kill('SIGKILL');
        throw new Error(`${name} does not start`);
      }
      await sleep(1);
    }
    return new Server(program, port, performance.now() - begin, child);
  }

  signal(name: NodeJS.Signals): void {
    this.#process.kill(name);
  }

  /** The processor time it has used, in seconds. */
  cpuSeconds(): number {
    const folder = `/proc/${this.#process.pid}/task`;
    const times = readdirSync(folder).map((task) => {
      // The first number is the time on a processor, in nanoseconds (proc-schedstat.rst).
      return Number(readFileSync(`${folder}/${task}/schedstat`, 'utf8').split(' ')[0]);
    });
    return times.reduce((sum, time) => sum + time, 0) / 1e9;
  }

  /** The memory that it has in RAM, in bytes. */
  residentBytes(): number {
    const status = readFileSync(`/proc/${this.#process.pid}/status`, 'utf8');
    return 1024 * Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]);
  }

  /** Waits until it has finished its background work, such as indexing, and is idle. */
  async rest(): Promise<void> {
    for (let before = -1; this.cpuSeconds() - before > IDLE_CPU_SECONDS; ) {
      before = this.cpuSeconds();
      await sleep(IDLE_MS);
    }
  }

  async stop(): Promise<void> {
    const exited = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await exited;
  }
}

/** Starts programs one after the other. */
export async function startAll(programs: readonly Program[]): Promise<readonly Server[]> {
  const servers: Server[] = [];
  for (const program of programs) servers.push(await Server.start(program));
  return servers;
}

export async function stopAll(servers: readonly Server[]): Promise<void> {
  await Promise.all(servers.map((server) => server.stop()));
}

function listOf({ prefix = '' }: Program, port: number): string {
  return `http://127.0.0.1:${port}${prefix}/api/todos`;
}

function answers(list: string): Promise<boolean> {
  return new Promise((resolve) => {
    request(`${list}?limit=1`, { agent: false }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode === 200));
    })
      .on('error', () => resolve(false))
      .end();
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port is free');
  return address.port;
}
