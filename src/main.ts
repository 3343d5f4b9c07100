import type { App } from './app.ts';
import { clock } from './clock.ts';
import { helpText, parseCommand, type SourceOf } from './config/command-line.ts';
import { ConfigError } from './config/setting.ts';
import type { Config } from './settings.ts';
import { configuredApp } from './configured-app.ts';
import { configuredStore } from './configured-store.ts';
import type { AccessLogLine } from './features/access-log.ts';
import { BatchedOutput, describeError, jsonLog, Output } from './log.ts';
import { VERSION } from './version.ts';

/** Exit statuses: a graceful stop; a fault, or requests cut at the deadline; a bad setting. */
const OK = 0;
const FAILURE = 1;
const USAGE = 2;

/**
 * Two signals within this time, in milliseconds, count as one: npm repeats those of the terminal.
 */
const SAME_SIGNAL_MS = 100;

const stdout = new Output(process.stdout);
const log = jsonLog(stdout);
const lines = new BatchedOutput(stdout);

try {
  const command = parseCommand(process.argv.slice(2), process.env);
  if (command.name === 'help') stdout.write(helpText());
  else if (command.name === 'version') stdout.write(`${VERSION}\n`);
  else start(command.config, command.sourceOf);
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  fail(error.message, USAGE);
}

/** @throws ConfigError */
function start(config: Config, sourceOf: SourceOf): void {
  if (config.timeZone !== undefined) process.env.TZ = config.timeZone;
  const writeLine = jsonLog(lines);
  const accessLog = (line: AccessLogLine) => writeLine('info', 'request', { ...line });
  if (config.store === 'memory') serve(configuredApp(config, { log, accessLog }), config);
  else startReplica(config, sourceOf, accessLog);
}

/** Starts a replica. If it later finds the stored list incompatible, the process ends as well. */
async function startReplica(
  config: Config,
  sourceOf: SourceOf,
  accessLog: (line: AccessLogLine) => void,
): Promise<void> {
  const onIncompatible = (message: string) => {
    fail(message, USAGE);
    process.exit();
  };
  try {
    const openStore = await configuredStore(config, sourceOf, log, onIncompatible);
    serve(configuredApp(config, { log, accessLog, openStore }), config);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    fail(error.message, USAGE);
  }
}

async function serve(app: App, config: Config): Promise<void> {
  stopOnSignals(app, config);
  stopOnFaults(app, config);
  try {
    const host = config.host === '*' ? undefined : config.host;
    const { address, port } = await app.listen(config.port, host);
    const { pid } = process;
    const { name: variant } = config.variant;
    log('info', 'listening', { address, port, variant, version: VERSION, pid });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const where = `port ${config.port}${config.host === '*' ? '' : ` of ${config.host}`}`;
    fail(
      code === 'EADDRINUSE' ? `${where} is in use` : `cannot listen on ${where}: ${message}`,
      FAILURE,
    );
  }
}

/** The first signal drains; the second exits at once. */
function stopOnSignals(app: App, config: Config): void {
  let first: number | undefined;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      const now = clock.now();
      if (first !== undefined && now - first < SAME_SIGNAL_MS) return;
      if (app.isStopping) process.exit(FAILURE);
      first = now;
      stop(app, config, signal, OK);
    });
  }
}

/**
 * After an exception outside any request, the state of the process is unknown. So log it, send the
 * responses that are owed, and exit, so that a supervisor restarts the process.
 */
function stopOnFaults(app: App, config: Config): void {
  process.on('uncaughtException', (error) => {
    log('error', 'uncaught exception', describeError(error));
    if (app.isStopping) process.exit(FAILURE);
    stop(app, config, 'uncaught exception', FAILURE);
  });
}

async function stop(app: App, config: Config, reason: string, status: number): Promise<void> {
  log('info', 'draining', { reason });
  const inTime = await app.stop(config.drainTimeoutMs, config.drainDelayMs);
  lines.flush();
  if (inTime) log('info', 'stopped');
  else log('error', 'stopped at the deadline with requests in flight');
  process.exit(inTime ? status : FAILURE);
}

/**
 * Prints one line that says what is wrong, even if a file name contains a line break. Only here is
 * the stream for errors opened, which takes Node a millisecond.
 */
function fail(message: string, status: number): void {
  const stderr = new Output(process.stderr);
  stderr.write(`todo-service: ${message.replaceAll(/\s+/g, ' ')}\n`);
  process.exitCode = status;
}
