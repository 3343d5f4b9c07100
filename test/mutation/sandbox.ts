import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
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

/** How long a run may print nothing, in milliseconds. No test takes as long. */
const LIMIT_MS = 60_000;

/** The end of a run: undefined if all tests passed, else the first failure. */
export interface Run {
  readonly failure: string | undefined;
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

  /** Runs tests in one process, until one fails or no test ends for too long. */
  run(tests: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Run> {
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
    const start = performance.now();
    return new Promise((resolve) => {
      const end = (failure: string | undefined) => {
        if (this.#child !== child) return;
        clearTimeout(timer);
        this.#kill();
        resolve({ failure, ms: performance.now() - start });
      };
      const timer = setTimeout(() => end('limit of time'), LIMIT_MS);
      let output = '';
      child.stdout.on('data', (chunk: Buffer) => {
        timer.refresh();
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
