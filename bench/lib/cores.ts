import { execFileSync } from 'node:child_process';
import os from 'node:os';

/** The server has its own core, and so have the clients. */
export const SERVER_CORE = 0;
export const CLIENT_CORE = 1;

/**
 * Pins this process, and those that it starts, to the core of the clients; exits with a message if a
 * tool or a core is missing.
 */
export function pinSelf(): void {
  if (os.availableParallelism() < 2) fail('this benchmark needs two cores, one for the server');
  for (const tool of ['taskset', 'wrk']) {
    if (!isThere(tool)) fail(`${tool} is missing: apt-get install -y util-linux wrk`);
  }
  allowCores(String(CLIENT_CORE));
}

/** Lets this process, and those that it starts from now on, use all cores. */
export function unpinSelf(): void {
  allowCores(`0-${os.cpus().length - 1}`);
}

function allowCores(cores: string): void {
  execFileSync('taskset', ['-acp', cores, String(process.pid)], { stdio: 'ignore' });
}

function isThere(tool: string): boolean {
  try {
    execFileSync('which', [tool], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function fail(sentence: string): never {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}
