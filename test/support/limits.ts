import type { ChildProcess } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import { afterEach, beforeEach } from 'node:test';

/*
 * The limits of a process that runs tests (`--import`). If a test does not end, or if a child
 * process outlives its test and keeps the process alive, the process ends with a message.
 */

/** The maximum time of a test, in milliseconds; many times what any takes on a busy machine. */
const TEST_MS = Number(process.env.TEST_LIMIT_MS ?? 120_000);

/** The maximum time between tests, and after the last one, in milliseconds. */
const IDLE_MS = 120_000;

const children = new Set<ChildProcess>();

subscribe('child_process', (message) => {
  const { process: child } = message as { readonly process: ChildProcess };
  children.add(child);
  child.once('exit', () => children.delete(child));
});

process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

function limit(ms: number, what: string): NodeJS.Timeout {
  return setTimeout(() => {
    const commands = [...children].map(({ spawnargs }) => spawnargs.join(' ').slice(0, 200));
    const left = commands.length > 0 ? `; it left running:\n  ${commands.join('\n  ')}` : '';
    process.stderr.write(`${what} did not end within ${ms / 1_000} s${left}\n`);
    process.exit(1);
  }, ms).unref();
}

let timer = limit(IDLE_MS, 'what comes before the first test');

beforeEach((context) => {
  clearTimeout(timer);
  timer = limit(TEST_MS, `the test "${context.name}"`);
});

afterEach((context) => {
  clearTimeout(timer);
  timer = limit(IDLE_MS, `what comes after the test "${context.name}"`);
});
