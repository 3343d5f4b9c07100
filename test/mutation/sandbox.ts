import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const RUNNER = 'for (const file of process.argv.slice(2)) await import(file);\n';

/** The built program, in which a mutant has to show: each file stands for a source file. */
const BUILT = {
  'dist/main.js': "import '../src/main.ts';\n",
  'dist/healthcheck.js': "import '../src/healthcheck.ts';\n",
  'dist/index.js': "export * from '../src/package/index.ts';\n",
};

/** The end of a run: undefined if all tests passed, else the first failure. */
export interface Run {
  readonly failure: string | undefined;
  /** How long it took, without the time in which it waited for a processor. */
  readonly ms: number;
}

/** A copy of the project, in which one file at a time can be replaced. Node runs it as it is. */
export class Sandbox {
  /** All files of the project. */
  readonly files: readonly string[];
  readonly folder = mkdtempSync(join(tmpdir(), 'mutation-'));
  #child: ChildProcess | undefined;

  /** @param root the folder of the project */
  constructor(root: string) {
    const list = execFileSync(
      'git',
      ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
      {
        cwd: root,
        encoding: 'utf8',
      },
    );
    this.files = list.split('\0').filter((file) => file !== '' && existsSync(join(root, file)));
    for (const file of this.files) {
      mkdirSync(dirname(join(this.folder, file)), { recursive: true });
      copyFileSync(join(root, file), join(this.folder, file));
    }
    mkdirSync(join(this.folder, 'dist'));
    for (const [file, source] of Object.entries(BUILT)) this.write(file, source);
    this.write('run.js', RUNNER);
    symlinkSync(join(root, 'node_modules'), join(this.folder, 'node_modules'));
  }

  read(file: string): string {
    return readFileSync(join(this.folder, file), 'utf8');
  }

  write(file: string, source: string): void {
    writeFileSync(join(this.folder, file), source);
  }

  /** Runs tests in one process, until one fails or the limit is reached. */
  run(tests: readonly string[], limitMs: number, env: NodeJS.ProcessEnv = {}): Promise<Run> {
    const files = tests.map((test) => join(this.folder, test));
    const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
    const child = spawn(process.execPath, ['run.js', ...files], {
      cwd: this.folder,
      // A fixed seed, so that chance does not decide whether a mutant survives.
      env: { ...inherited, SEED: '1', NODE_COMPILE_CACHE: join(this.folder, '.cache'), ...env },
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    });
    this.#child = child;
    const stopwatch = new Stopwatch(String(child.pid));
    return new Promise((resolve) => {
      const end = (failure: string | undefined) => {
        if (this.#child !== child) return;
        clearInterval(timer);
        stopwatch.read();
        this.#kill();
        resolve({ failure, ms: stopwatch.ms });
      };
      const timer = setInterval(() => {
        stopwatch.read();
        if (stopwatch.ms > limitMs) end('limit of time');
      }, 500);
      let output = '';
      child.stdout.on('data', (chunk: Buffer) => {
        output = output.slice(-500) + chunk;
        const [, failure] = /^ *(?:not ok|✖) (.*)\n/m.exec(output) ?? [];
        if (failure !== undefined) end(failure);
      });
      child.on('close', (code, signal) => end(code === 0 ? undefined : `exit ${code ?? signal}`));
    });
  }

  remove(): void {
    this.#kill();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Kills the processes of the current run, which are a group of their own. */
  #kill(): void {
    try {
      if (this.#child?.pid !== undefined) process.kill(-this.#child.pid, 'SIGKILL');
    } catch {
      // They have all ended.
    }
    this.#child = undefined;
  }
}

/**
 * Measures how long a process and its children run and sleep. It stops while they or this process
 * wait for a processor, so that a busy machine does not count. (This process stands for children
 * that begin and end between two calls.) Without Linux's /proc, it never stops.
 */
class Stopwatch {
  ms = 0;
  readonly #pid: string;
  #last = performance.now();
  #ownWait = waitOf('/proc/self/schedstat');
  #threads: Threads = new Map();

  constructor(pid: string) {
    this.#pid = pid;
  }

  /** Adds the time since the last call. */
  read(): void {
    const [now, threads] = [performance.now(), threadsOf(this.#pid)];
    const ownWait = waitOf('/proc/self/schedstat');
    let [ran, waited] = [0, ownWait - this.#ownWait];
    for (const [thread, times] of threads) {
      const before = this.#threads.get(thread) ?? { ran: 0, waited: 0 };
      ran += times.ran - before.ran;
      waited += times.waited - before.waited;
    }
    this.ms += Math.max(ran, now - this.#last - waited);
    this.#last = now;
    this.#ownWait = ownWait;
    this.#threads = threads;
  }
}

/** How long a process has waited for a processor, in milliseconds; 0 where that is not known. */
function waitOf(schedstat: string): number {
  if (!existsSync(schedstat)) return 0;
  return Number(readFileSync(schedstat, 'latin1').split(' ')[1]) / 1e6;
}

/** How long each thread has run, and has waited for a processor, in milliseconds. */
type Threads = Map<string, { readonly ran: number; readonly waited: number }>;

/** Reads the times of a process and its children (man proc_pid_schedstat). */
function threadsOf(pid: string, threads: Threads = new Map()): Threads {
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      const read = (name: string) => readFileSync(`/proc/${pid}/task/${thread}/${name}`, 'latin1');
      const [ran, waited] = read('schedstat').split(' ');
      threads.set(thread, { ran: Number(ran) / 1e6, waited: Number(waited) / 1e6 });
      for (const child of read('children').split(' ').filter(Boolean)) threadsOf(child, threads);
    }
  } catch {
    // A process or a thread has ended.
  }
  return threads;
}
