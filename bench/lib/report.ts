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
  return reached ? 'reached' : '**not reached**';
}

/** Describes the machine, the commit and the day. */
export function machine(): string {
  const cpus = os.cpus();
  const memory = Math.round(os.totalmem() / 2 ** 30);
  const day = new Date().toLocaleDateString('en-GB', { dateStyle: 'long' });
  return `Node ${process.version}, ${cpus.length} × ${cpus[0]?.model.trim()}, ${memory} GiB, Linux ${os.release()}, commit ${commit()}, ${day}.`;
}

/** Reports progress on standard error; standard output is for the report. */
export function progress(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Prints a report, and inserts it between two marks in a file, if one is given. */
export function publish(name: string, report: string, file: string | undefined): void {
  process.stdout.write(`${report}\n`);
  if (file === undefined) return;
  const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
  const text = readFileSync(file, 'utf8');
  const [before, after] = [text.indexOf(begin), text.indexOf(end)];
  if (before === -1 || after === -1) throw new Error(`${file} has no place for ${name}`);
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
