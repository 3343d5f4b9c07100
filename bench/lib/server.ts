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
  /** What `node` is given. */
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Kernel clock ticks in a second, as /proc counts them. */
const TICKS = 100;
const PATIENCE_MS = 120_000;
/** In this time, whoever has something to do uses more than a tick. */
const REST_MS = 50;
const PROBE = fileURLToPath(new URL('./probe.js', import.meta.url));

/** A running server, on a core of its own. */
export class Server {
  readonly name: string;
  readonly port: number;
  /** From the start of the process to the first answer 200, in milliseconds. */
  readonly startMs: number;
  readonly #process: ChildProcess;

  private constructor(name: string, port: number, startMs: number, process: ChildProcess) {
    this.name = name;
    this.port = port;
    this.startMs = startMs;
    this.#process = process;
  }

  /**
   * Starts a program and waits for its first answer; `probed` lets its memory be read and lets it
   * exit.
   */
  static async start({ name, args, env }: Program, { probed = false } = {}): Promise<Server> {
    const port = await freePort();
    const probe = probed ? ['--expose-gc', '--import', PROBE] : [];
    const command = ['-c', String(SERVER_CORE), process.execPath, ...probe, ...args];
    const begin = performance.now();
    const child = spawn('taskset', command, {
      env: { PATH: process.env.PATH, NODE_ENV: 'production', ...env, PORT: String(port) },
      stdio: ['ignore', 'ignore', 'inherit', ...(probed ? (['ipc'] as const) : [])],
    });
    while (!(await answers(port))) {
      if (child.exitCode !== null || performance.now() - begin > PATIENCE_MS) {
        throw new Error(`${name} does not start`);
      }
      await sleep(1);
    }
    return new Server(name, port, performance.now() - begin, child);
  }

  /** Seconds of processor time it has used. */
  cpuSeconds(): number {
    const stat = readFileSync(`/proc/${this.#process.pid}/stat`, 'utf8');
    // After the name, which is in parentheses: the 12th and 13th field are the time as user and in
    // the kernel.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS;
  }

  /**
   * Waits until it has done what it put off while there was a load (indexing, say) and needs no
   * processor any more.
   */
  async rest(): Promise<void> {
    for (let before = Number.NaN; before !== this.cpuSeconds(); ) {
      before = this.cpuSeconds();
      await sleep(REST_MS);
    }
  }

  /** Bytes that are in use after a garbage collection. */
  async memory(): Promise<number> {
    this.#process.send('memory');
    const [bytes] = await once(this.#process, 'message');
    return Number(bytes);
  }

  /** Lets it exit by itself, so that it can write its profile; it has to be probed. */
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
