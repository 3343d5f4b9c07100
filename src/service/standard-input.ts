import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { ReadStream as Terminal } from 'node:tty';
import { ConfigError } from '../lib/config/index.ts';

/**
 * Calls back once, when standard input ends or breaks (testing.md: "From another language").
 * Drops everything that arrives on it.
 * @param setting the name of the setting that asks for it
 * @throws ConfigError unless standard input is a pipe or a socket, whose other end a program holds
 */
export function onInputEnd(setting: string, callBack: () => void): void {
  // Node makes a socket of a pipe and of a terminal, and other streams of anything else.
  const input: Readable = process.stdin;
  const isTerminal = input instanceof Terminal;
  if (isTerminal || !(input instanceof Socket)) {
    const rule = `${setting} needs a pipe or a socket as standard input, which is`;
    const advice = 'start the service with a pipe, and keep it open';
    throw new ConfigError(`${rule} ${isTerminal ? 'a terminal' : 'neither'}; ${advice}`);
  }
  // The stream closes after an error, too.
  input.once('error', () => {}).once('close', callBack);
  input.resume();
}
