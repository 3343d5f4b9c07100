import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';

/** A program that can be killed, paused, and restarted. */
export class Program {
  /** The command and its arguments. A change takes effect at the next start. */
  command: string;
  args: readonly string[];
  readonly #env: NodeJS.ProcessEnv;
  readonly #logFile: string;
  #child: ChildProcess | undefined;

  constructor(command: string, args: readonly string[], env: NodeJS.ProcessEnv, logFile: string) {
    this.command = command;
    this.args = args;
    this.#env = env;
    this.#logFile = logFile;
  }

  start(): void {
    const log = openSync(this.#logFile, 'a');
    const env = { PATH: process.env.PATH, ...this.#env };
    const stdio = ['ignore', log, log] as const;
    this.#child = spawn(this.command, this.args, { env, stdio: [...stdio] });
    closeSync(log);
  }

  pause(): void {
    this.#child?.kill('SIGSTOP');
  }

  resume(): void {
    this.#child?.kill('SIGCONT');
  }

  /** Sends a signal, and waits for the program to exit. */
  async end(signal: NodeJS.Signals = 'SIGKILL'): Promise<number | null> {
    const child = this.#child;
    if (child === undefined) return null;
    if (child.exitCode === null && child.signalCode === null) {
      child.kill(signal);
      await once(child, 'exit');
    }
    return child.exitCode;
  }

  /** Waits for the program to exit, and returns its status. */
  async exit(): Promise<number | null> {
    const child = this.#child;
    if (child !== undefined && child.exitCode === null) await once(child, 'exit');
    return child?.exitCode ?? null;
  }
}
