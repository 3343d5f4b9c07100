import { createApp } from './app.ts';
import { type Config, ConfigError, helpText, parseCommand } from './config.ts';
import type { HttpServer } from './http/server.ts';
import { describeError, log } from './log.ts';
import { version } from './version.ts';

/** Exit statuses: a stop in good order; a fault, or answers cut at the deadline; a setting that cannot be used. */
const OK = 0;
const FAILURE = 1;
const USAGE = 2;

try {
  const command = parseCommand(process.argv.slice(2), process.env);
  if (command.name === 'help') process.stdout.write(helpText());
  else if (command.name === 'version') process.stdout.write(`${version()}\n`);
  else serve(command.config);
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  fail(error.message, USAGE);
}

async function serve(config: Config): Promise<void> {
  if (config.timeZone !== undefined) process.env.TZ = config.timeZone;
  const server = createApp(config.variant, { maxRows: config.maxRows });
  stopOnSignals(server, config);
  stopOnFaults(server, config);
  try {
    const { address, port } = await server.listen(config.port, config.host);
    log('info', 'listening', {
      address,
      port,
      variant: config.variant.name,
      version: version(),
      pid: process.pid,
    });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const where = `port ${config.port}`;
    fail(
      code === 'EADDRINUSE' ? `${where} is in use` : `cannot listen on ${where}: ${message}`,
      FAILURE,
    );
  }
}

/** The first signal drains, the second one exits at once. */
function stopOnSignals(server: HttpServer, config: Config): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (server.draining) process.exit(FAILURE);
      stop(server, config, signal, OK);
    });
  }
}

/** After an exception outside any request nothing can be relied on: say so, answer what is owed, and let it be restarted. */
function stopOnFaults(server: HttpServer, config: Config): void {
  process.on('uncaughtException', (error) => {
    log('error', 'uncaught exception', describeError(error));
    if (server.draining) process.exit(FAILURE);
    stop(server, config, 'uncaught exception', FAILURE);
  });
}

async function stop(
  server: HttpServer,
  config: Config,
  reason: string,
  status: number,
): Promise<void> {
  log('info', 'draining', { reason });
  const inTime = await server.drain(config.drainTimeoutMs);
  log(
    inTime ? 'info' : 'error',
    inTime ? 'stopped' : 'stopped at the deadline with requests in flight',
  );
  process.exitCode = inTime ? status : FAILURE;
  process.exit();
}

function fail(message: string, status: number): void {
  process.stderr.write(`todo-service: ${message}\n`);
  process.exitCode = status;
}
