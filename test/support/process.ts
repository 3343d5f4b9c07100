import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { TestContext } from 'node:test';
import { ROOT } from './folder.ts';
import { until } from './until.ts';
import { within } from './within.ts';

/** The exit status of a process, and all its output. */
export interface Exit {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Switches off coverage in a program that a test starts: c8 makes Node collect it in every process,
 * which would take longer than everything else.
 */
export const UNCOUNTED: NodeJS.ProcessEnv = { NODE_V8_COVERAGE: '' };

/** The program that `npm run build` makes. It starts five times as fast as the sources. */
const PROGRAM = 'dist/main.js';

/** The built service as a separate process. */
export class ServiceProcess {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #output = { stdout: '', stderr: '' };
  readonly exit: Promise<Exit>;

  /** Killed when the test ends if it is still running. */
  constructor(test: TestContext, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
    assert(existsSync(join(ROOT, PROGRAM)), `there is no ${PROGRAM}: npm run build`);
    const { PORT, HOST, VARIANT, TZ, ...inherited } = process.env;
    const command = [PROGRAM, ...args];
    const child = spawn(process.execPath, command, {
      cwd: ROOT,
      env: { ...inherited, ...env, ...UNCOUNTED },
    });
    this.#child = child;
    this.exit = this.#collect();
    test.after(() => child.kill('SIGKILL'));
  }

  /** Closes the reading end of its output, as `| head -1` does. */
  closeOutput(): void {
    this.#child.stdout.destroy();
    this.#child.stderr.destroy();
  }

  /** Waits until the service listens. */
  async baseUrl(): Promise<string> {
    const line = await listening(this.#child.stdout);
    if (line === undefined) assert.fail(`it has not listened: ${(await this.exit).stderr}`);
    // The end of reading by lines has paused it.
    this.#child.stdout.resume();
    return `http://127.0.0.1:${line.port}`;
  }

  /** Waits until it has logged a message. */
  logged(message: string): Promise<string> {
    return this.printed(`"message":"${message}"`);
  }

  /** Waits until it has printed a text. @returns all that it has printed so far */
  async printed(text: string): Promise<string> {
    const isPrinted = async () => this.#output.stdout.includes(text);
    await until(`the output ${text}`, isPrinted, { everyMs: 10, withinMs: 10_000 });
    return this.#output.stdout;
  }

  /** Sends a signal, and waits for the exit. */
  stop(signal: NodeJS.Signals): Promise<Exit> {
    this.signal(signal);
    return within('the exit of the process', this.exit, 10_000);
  }

  /** The processor time that it has used, in milliseconds, as Linux counts it: in steps of 10 ms. */
  get cpuMs(): number {
    const stat = readFileSync(`/proc/${this.#child.pid}/stat`, 'utf8');
    // Behind the name, which is in parentheses: user time and system time, in ticks of 10 ms.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async #collect(): Promise<Exit> {
    for (const name of ['stdout', 'stderr'] as const) {
      this.#child[name].setEncoding('utf8').on('data', (text: string) => {
        this.#output[name] += text;
      });
    }
    const [status] = await once(this.#child, 'close');
    return { status, ...this.#output };
  }
}

/** Waits for the line `listening` of a service; undefined if it exits without one. */
export async function listening(
  stdout: Readable,
): Promise<{ readonly pid: number; readonly port: number } | undefined> {
  for await (const line of createInterface(stdout)) {
    if (line.includes('"listening"')) return JSON.parse(line);
  }
  return undefined;
}
