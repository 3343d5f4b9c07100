import { get } from 'node:http';
import { parseCommand } from './config/command-line.ts';
import { ConfigError } from './config/setting.ts';

/**
 * Asks the service that has the same settings whether it is ready: exit status 0 if so, else 1 with
 * one line that says why. A program of its own, because it is started every few seconds and needs
 * next to nothing of the service.
 */

/** Shorter than the time-out of the container engine, so that the reason gets into its record. */
const TIMEOUT_MS = 1_500;

try {
  const command = parseCommand(process.argv.slice(2), process.env);
  if (command.name !== 'serve')
    throw new ConfigError(`--${command.name} is not for a health check`);
  const { host, port } = command.config;
  if (port === 0) throw new ConfigError('with PORT=0 nobody knows the port');
  const address = { host: host === '*' ? '127.0.0.1' : host, port };
  get({ ...address, path: '/readyz', timeout: TIMEOUT_MS, agent: false })
    .on('response', ({ statusCode }) => {
      if (statusCode !== 200) report(`the answer was ${statusCode}`);
      process.exit();
    })
    .on('timeout', () => {
      report(`no answer within ${TIMEOUT_MS} ms`);
      process.exit();
    })
    .on('error', (error) => report(error.message));
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  report(error.message);
}

function report(reason: string): void {
  process.stderr.write(`unhealthy: ${reason}\n`);
  process.exitCode = 1;
}
