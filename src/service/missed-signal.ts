import { existsSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';

const STATUS = '/proc/self/status';

/**
 * Whether a stop signal came while Node started, and was lost. That can happen to process 1 alone,
 * because the kernel drops its signals that have no handler (signal(7), pid_namespaces(7)).
 */
export function hasMissedSignal(): boolean {
  return process.pid === 1 && existsSync(STATUS) && hasLostHandler(readFileSync(STATUS, 'latin1'));
}

/**
 * Whether SIGINT or SIGTERM, but not both, has lost its handler. Node starts with handlers for both
 * that end the process: each removes itself, and raises its signal again, which the kernel drops.
 * @param status the text of `/proc/PID/status`, where `SigCgt` has a bit for each handled signal
 */
export function hasLostHandler(status: string): boolean {
  const [, handled = '0'] = /^SigCgt:\s*([0-9a-f]+)$/m.exec(status) ?? [];
  const isHandled = (signal: number) => (BigInt(`0x${handled}`) >> BigInt(signal - 1)) & 1n;
  return isHandled(constants.signals.SIGINT) !== isHandled(constants.signals.SIGTERM);
}
