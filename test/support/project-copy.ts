import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { copyOfProject } from './folder.ts';
import { UNCOUNTED } from './process.ts';

const run = promisify(execFile);

/** A copy of the project, with its tests, in a temporary folder. */
export class ProjectCopy {
  readonly folder = copyOfProject();

  /** Applies a diff, whose hunks have no line numbers. */
  apply(diff: string): void {
    for (const part of diff.split(/^--- .*\n/m).slice(1)) {
      const [header = '', ...hunks] = part.split(/^@@.*\n/m);
      const [, name = ''] = /^\+\+\+ b\/(.+)$/m.exec(header) ?? [];
      const file = join(this.folder, name);
      let text = readFileSync(file, 'utf8');
      for (const hunk of hunks) {
        const lines = hunk.match(/^.*\n/gm) ?? [];
        const side = (other: string) =>
          lines.flatMap((line) => (line.startsWith(other) ? [] : line.slice(1))).join('');
        const parts = text.split(side('+'));
        assert.equal(parts.length, 2, `${name} has these lines once:\n${side('+')}`);
        text = parts.join(side('-'));
      }
      writeFileSync(file, text);
    }
  }

  /** Runs commands, and asserts that they succeed. */
  async runAll(commands: readonly string[]): Promise<void> {
    const { NODE_TEST_CONTEXT: _, ...env } = { ...process.env, ...UNCOUNTED };
    const options = { cwd: this.folder, env, maxBuffer: 64 * 1024 * 1024 };
    for (const script of commands) {
      await run('sh', ['-ec', script], options).catch(({ stdout, stderr }) =>
        assert.fail(`${script}\n${failures(`${stdout}${stderr}`)}`),
      );
    }
  }
}

/** The failing tests in the output of a test run, or the end of another output. */
function failures(output: string): string {
  const start = output.indexOf('failing tests:');
  return start === -1 ? output.slice(-8_000) : output.slice(start, start + 8_000);
}
