import { type ChildProcess, spawn } from 'node:child_process';
import {
  copyFileSync,
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
import ts from 'typescript';

const RUNNER = `
for (const file of process.argv.slice(2)) await import(file);
`;

/** A copy of the project in JavaScript, in which one file at a time can be replaced. */
export class Sandbox {
  /** All source files, tests and examples, as they were when the copy was made. */
  readonly files: readonly string[];
  readonly #folder = mkdtempSync(join(tmpdir(), 'mutation-'));
  #run: ChildProcess | undefined;

  /** @param root the folder of the project */
  constructor(root: string) {
    this.files = ['src', 'test', 'examples']
      .flatMap((part) => filesBelow(root, part))
      .filter((file) => file.endsWith('.ts') && !file.includes('node_modules'));
    for (const file of this.files) this.write(file, readFileSync(join(root, file), 'utf8'));
    copyFileSync(join(root, 'package.json'), join(this.#folder, 'package.json'));
    writeFileSync(join(this.#folder, 'run.js'), RUNNER);
    symlinkSync(join(root, 'node_modules'), join(this.#folder, 'node_modules'));
    symlinkSync(join(root, 'docs'), join(this.#folder, 'docs'));
  }

  /** Replaces a file by a source text. */
  write(file: string, source: string): void {
    const { outputText } = ts.transpileModule(source, {
      compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext },
    });
    const path = join(this.#folder, scriptOf(file));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, outputText.replaceAll(/(['"]\.{1,2}\/[^'"\n]+)\.ts(?=['"])/g, '$1.js'));
  }

  /** Runs tests; false if one fails, or if they take too long. */
  passes(tests: readonly string[], timeoutMs: number): Promise<boolean> {
    const files = tests.map((test) => join(this.#folder, scriptOf(test)));
    const run = spawn(process.execPath, [join(this.#folder, 'run.js'), ...files], {
      cwd: this.#folder,
      // A fixed seed, so that chance does not decide whether a mutant survives.
      env: { ...process.env, SEED: '1', NODE_TEST_CONTEXT: '' },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    this.#run = run;
    return new Promise((resolve) => {
      const end = (passed: boolean) => {
        clearTimeout(timer);
        run.kill('SIGKILL');
        resolve(passed);
      };
      const timer = setTimeout(() => end(false), timeoutMs);
      // Stops at the first failure.
      let printed = '';
      run.stdout.on('data', (chunk: Buffer) => {
        printed = `${printed.slice(-20)}${chunk}`;
        if (/^ *(?:not ok|✖)/m.test(printed)) end(false);
      });
      run.on('close', (code) => end(code === 0));
    });
  }

  remove(): void {
    this.#run?.kill('SIGKILL');
    rmSync(this.#folder, { recursive: true });
  }
}

function scriptOf(file: string): string {
  return file.replace(/\.ts$/, '.js');
}

function filesBelow(root: string, folder: string): string[] {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  return names.sort().map((name) => join(folder, name));
}
