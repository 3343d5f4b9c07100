import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';

/** A Markdown table; the first column is text, the others are numbers. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rule = head.map((_, column) => (column === 0 ? '---' : '---:'));
  return [line(head), line(rule), ...rows.map(line)].join('\n');
}

/** Whether a figure reaches its target, as a word. */
export function verdict(reached: boolean): string {
  return reached ? 'reached' : '**missed**';
}

/** Describes the machine and its load, the commit, the day and the rounds. */
export function machine(rounds: number, seconds: number): string {
  const cpus = os.cpus();
  const memory = Math.round(os.totalmem() / 2 ** 30);
  const day = new Date().toLocaleDateString('en-GB', { dateStyle: 'long' });
  const load = os.loadavg()[0]?.toFixed(1);
  const model = `${cpus.length} × ${cpus[0]?.model.trim()}, ${memory} GiB`;
  return `Commit ${commit()}, Node ${process.version}, ${model}, Linux ${os.release()}, ${day}. Load before the run: ${load}. ${rounds} rounds of ${seconds} s.`;
}

/** Reports progress on standard error; standard output is for the report. */
export function progress(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Replaces the tables in bench/README.md, which are between two marks. */
export function writeReport(report: string): void {
  const file = new URL('../README.md', import.meta.url);
  const [begin, end] = ['<!-- tables: begin -->', '<!-- tables: end -->'];
  const text = readFileSync(file, 'utf8');
  const [before, after] = [text.indexOf(begin), text.indexOf(end)];
  if (before === -1 || after === -1) throw new Error(`bench/README.md needs ${begin} and ${end}`);
  writeFileSync(
    file,
    `${text.slice(0, before + begin.length)}\n\n${report}\n\n${text.slice(after)}`,
  );
}

function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  } catch {
    return 'unknown';
  }
}
