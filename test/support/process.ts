import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** How a process ended, and all it wrote. */
export interface Exit {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * For a program that a test starts: to count what it runs, as Node does on behalf of c8 in every
 * process, would take longer than all else it does.
 */
export const UNCOUNTED: NodeJS.ProcessEnv = { NODE_V8_COVERAGE: '' };

/** What `npm run build` makes. It starts in a fifth of the time that the sources need. */
const PROGRAM = 'dist/main.js';

/** The service as a process of its own, as it was built. */
export class ServiceProcess {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly exit: Promise<Exit>;

  /** It is killed when the test ends, should it still run. */
  constructor(test: TestContext, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
    assert(existsSync(join(ROOT, PROGRAM)), `there is no ${PROGRAM}: npm run build`);
    const { PORT, HOST, VARIANT, TZ, ...inherited } = process.env;
    const command = [PROGRAM, ...args];
    const child = spawn(process.execPath, command, {
      cwd: ROOT,
      env: { ...inherited, ...env, ...UNCOUNTED },
    });
    this.#child = child;
    this.exit = collect(child);
    test.after(() => child.kill('SIGKILL'));
  }

  /** Closes the reading end of what it writes, as `| head -1` does. */
  closeOutput(): void {
    this.#child.stdout.destroy();
    this.#child.stderr.destroy();
  }

  /** Waits until it listens. */
  async baseUrl(): Promise<string> {
    for await (const line of createInterface(this.#child.stdout)) {
      const { message, port } = JSON.parse(line);
      if (message === 'listening') return `http://127.0.0.1:${port}`;
    }
    throw new Error(`it ended without listening: ${(await this.exit).stderr}`);
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }
}

async function collect(child: ChildProcessWithoutNullStreams): Promise<Exit> {
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  const [status, signal] = await once(child, 'close');
  return { status, signal, ...output };
}
