import { connect } from 'node:net';
import { clock } from './lib/clock.ts';
import { ConfigError, parseCommand } from './lib/config/index.ts';
import { printableLine } from './lib/printable.ts';
import { PROCESS_SETTINGS } from './service/settings/process-settings.ts';

/*
 * Requests `/readyz` of the service with the same settings. Exits with 0 if the service is ready,
 * else with 1 and one line with the reason. It is a separate program, without `node:http`, because
 * it starts often and loading that module takes longer than the check.
 */

/**
 * The maximum time of the check, in milliseconds. The container engine's timeout is 2 s, so the
 * engine records the reason.
 */
const TIMEOUT_MS = 1_500;

try {
  const command = parseCommand(PROCESS_SETTINGS, process.argv.slice(2), process.env);
  if (command.name !== 'serve') {
    throw new ConfigError(`--${command.name} is not an option of the health check`);
  }
  const { host, port, basePath } = command.config.of(PROCESS_SETTINGS);
  if (port === 0) throw new ConfigError('cannot check PORT=0; set a fixed port');
  requestReadiness({ host: host === '*' ? '127.0.0.1' : host, port }, `${basePath}/readyz`);
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  exitWith(error.message);
}

function requestReadiness(
  address: { readonly host: string; readonly port: number },
  path: string,
): void {
  const request = `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;
  let head = '';
  const socket = connect(address, () => socket.write(request));
  clock.setTimeout(() => exitWith(`no response within ${TIMEOUT_MS} ms`), TIMEOUT_MS);
  socket
    .setEncoding('latin1')
    .on('data', (text: string) => {
      head += text;
      if (!head.includes('\r\n')) return;
      const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(head) ?? [];
      exitWith(status === '200' ? undefined : `the response was ${status ?? 'not HTTP'}`);
    })
    .on('end', () => exitWith('the connection was closed without a response'))
    .on('error', (error) => exitWith(error.message));
}

/** @param reason why the service is not ready; undefined if it is */
function exitWith(reason?: string): void {
  if (reason !== undefined) process.stderr.write(printableLine(`unhealthy: ${reason}`));
  process.exit(reason === undefined ? 0 : 1);
}
