import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { SERVER_CORE } from './cores.ts';

/** A program that serves todos. */
export interface Program {
  readonly name: string;
  /** The executable; `node` by default. */
  readonly executable?: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The warm-up for each kind of request, in seconds; 1 by default. */
  readonly warmUpSeconds?: number;
}

/** Kernel clock ticks per second, as /proc counts them. */
const TICKS = 100;
const PATIENCE_MS = 120_000;
const WARM_UP_SECONDS = 1;
/** A busy process uses more than one tick in this time, in milliseconds. */
const REST_MS = 50;
/** One thread of V8 beside the main one, as in the images. */
const NODE_OPTIONS = '--v8-pool-size=1';
const PROBE = fileURLToPath(new URL('./probe.js', import.meta.url));

/** A running server on its own core. */
export class Server {
  readonly name: string;
  readonly port: number;
  readonly warmUpSeconds: number;
  /** From the start of the process to the first 200, in milliseconds. */
  readonly startMs: number;
  readonly #process: ChildProcess;

  private constructor(program: Program, port: number, startMs: number, process: ChildProcess) {
    this.name = program.name;
    this.warmUpSeconds = program.warmUpSeconds ?? WARM_UP_SECONDS;
    this.port = port;
    this.startMs = startMs;
    this.#process = process;
  }

  /**
   * Starts a program and waits for its first response. With `probed`, `exit` can be called.
   */
  static async start(program: Program, { probed = false } = {}): Promise<Server> {
    const { name, executable = process.execPath, args, env } = program;
    const port = await freePort();
    const probe = probed ? ['--import', PROBE] : [];
    const command = ['-c', String(SERVER_CORE), executable, ...probe, ...args];
    const begin = performance.now();
    const child = spawn('taskset', command, {
      env: {
        PATH: process.env.PATH,
        NODE_ENV: 'production',
        NODE_OPTIONS,
        ...env,
        PORT: String(port),
      },
      stdio: ['ignore', 'ignore', 'inherit', ...(probed ? (['ipc'] as const) : [])],
    });
    while (!(await answers(port))) {
      if (child.exitCode !== null || performance.now() - begin > PATIENCE_MS) {
        throw new Error(`${name} does not start`);
      }
      await sleep(1);
    }
    return new Server(program, port, performance.now() - begin, child);
  }

  /** The processor time it has used, in seconds. */
  cpuSeconds(): number {
    const stat = readFileSync(`/proc/${this.#process.pid}/stat`, 'utf8');
    // After the name in parentheses, the 12th and 13th field are user and kernel time.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS;
  }

  /** The memory that it has in RAM, in bytes. */
  residentBytes(): number {
    const status = readFileSync(`/proc/${this.#process.pid}/status`, 'utf8');
    return 1024 * Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]);
  }

  /** Waits until it has finished its background work, such as indexing, and is idle. */
  async rest(): Promise<void> {
    for (let before = Number.NaN; before !== this.cpuSeconds(); ) {
      before = this.cpuSeconds();
      await sleep(REST_MS);
    }
  }

  /** Lets it exit by itself, so that it can write its profile; requires `probed`. */
  async exit(): Promise<void> {
    const exited = once(this.#process, 'exit');
    this.#process.send('exit');
    await exited;
  }

  async stop(): Promise<void> {
    const exited = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await exited;
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const path = '/api/todos?limit=1';
    request({ port, path, host: '127.0.0.1', agent: false }, (response) => {
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
