import type { AddressInfo } from 'node:net';
import { clock, nextTurn } from './lib/clock.ts';
import {
  type Config,
  ConfigError,
  flagToType,
  helpText,
  parseCommand,
  setTimeZone,
} from './lib/config/index.ts';
import { isLoopback } from './lib/http/index.ts';
import { describeError, jsonLog, Output } from './lib/log.ts';
import { printableLine } from './lib/printable.ts';
import { openReplica } from './replicas/open-replica.ts';
import { tokenOfRun } from './service/admin/token.ts';
import { type App, configuredApp } from './service/app.ts';
import {
  checkFlagsOfNpm,
  checkRuntime,
  checkSingleProcess,
  isForPeople,
  isRunByHand,
} from './service/environment.ts';
import { InvalidInputError } from './service/resource/validation.ts';
import { configuredDefinition } from './service/settings/configured-definition.ts';
import { hostRefusal, PROCESS_SETTINGS, urlOf } from './service/settings/process-settings.ts';
import { ITEM_SETTINGS, SETTINGS } from './service/settings/service-settings.ts';
import { onInputEnd } from './service/standard-input.ts';
import { VERSION } from './service/version.ts';

/** The exit status of a graceful stop. */
const OK = 0;
/** The exit status of a failure, or of a stop that took too long. */
const FAILURE = 1;
/** The exit status of an invalid setting. */
const USAGE = 2;

const HIGHEST_PORT = 65_535;

const NAME = 'todo-service';
const SUMMARY = 'a to-do list over HTTP that keeps its items in memory or in etcd';

/** Signals within this time, in milliseconds, count as one, because npm repeats a signal. */
const SAME_SIGNAL_MS = 100;

const stdout = new Output(process.stdout);
const log = jsonLog(stdout);
process.on('exit', () => stdout.flush());

let running: App | undefined;
let isStopping = false;
/** The time of the first request to stop, by a signal or by the end of standard input. */
let firstStopAt: number | undefined;

// Not awaited. An error ends the process, like an uncaught exception.
void main();

async function main(): Promise<void> {
  try {
    const command = parseCommand(SETTINGS, process.argv.slice(2), process.env);
    if (command.name === 'help') stdout.write(helpText(NAME, SUMMARY, SETTINGS));
    else if (command.name === 'version') stdout.write(`${VERSION}\n`);
    else await start(command.config);
  } catch (error) {
    if (!(error instanceof ConfigError || error instanceof InvalidInputError)) throw error;
    fail(error.message, USAGE);
  }
}

/** Starts the service. @throws ConfigError */
async function start(config: Config): Promise<void> {
  const list = config.of(ITEM_SETTINGS);
  checkRuntime();
  checkFlagsOfNpm(SETTINGS, config, process.env);
  if (!setTimeZone(list.tz)) throw config.invalid('tz');
  stopOnRequest(config);
  const definition = configuredDefinition(config);
  const identity = { variant: definition, maxRows: list.maxRows };
  const share = await openReplica(config, identity, log, (message) => fail(message, USAGE));
  if (share === undefined) checkSingleProcess();
  // The items are also those of other processes.
  const isByHand = share === undefined && isRunByHand(process.stdout, process.env);
  const token = isByHand ? tokenOfRun(config) : undefined;
  const options = { definition, log, share, tokenOfRun: token, ownsHeap: true };
  const app = await configuredApp(config, options);
  // Handle a signal that arrived while the seed loaded.
  if (list.seedFile !== null) await nextTurn();
  running = app;
  process.on('uncaughtException', (error) => {
    log('error', 'uncaught exception', describeError(error));
    // The state of the process is unknown, so exit and let a supervisor restart it.
    void stop(app, config, 'uncaught exception', FAILURE);
  });
  const boundAddress = await listen(app, config, definition.name);
  if (isForPeople(process.stdout, process.env)) {
    stdout.write(openHint(config, boundAddress, token));
  }
}

/** @param variant the name of the definition */
async function listen(app: App, config: Config, variant: string): Promise<AddressInfo> {
  const { host, port: wantedPort } = config.of(PROCESS_SETTINGS);
  const boundAddress = await app
    .listen(wantedPort, host)
    .catch((error: NodeJS.ErrnoException) => failToListen(config, error));
  const { port } = boundAddress;
  const address = host === 'localhost' ? host : boundAddress.address;
  const { pid } = process;
  const { store } = config.of(SETTINGS);
  const settings = config.changes;
  log('info', 'listening', { address, port, variant, version: VERSION, pid, store, settings });
  return boundAddress;
}

/**
 * A line for a terminal, with the URL of the page.
 * @param token the token of this run, if it has one. Browsers send no fragment of a URL
 */
function openHint(config: Config, boundAddress: AddressInfo, token: string | undefined): string {
  const hint = isLoopback(boundAddress.address)
    ? ' (other machines can connect only with HOST=*)'
    : '';
  const fragment = token === undefined ? '' : `#token=${token}`;
  return `Open ${urlOf(config.of(PROCESS_SETTINGS), boundAddress)}/${fragment}${hint}\n`;
}

/** Ends the process with the reason. @throws the error if the system has not made it */
function failToListen(config: Config, error: NodeJS.ErrnoException): never {
  const { code, message } = error;
  const { host, port } = config.of(PROCESS_SETTINGS);
  const [hostName, portName] = [config.nameOf('host'), config.nameOf('port')];
  const where = host === '*' ? '' : ` on ${host}`;
  const refusal = hostRefusal(host, error);
  if (code === 'EADDRINUSE') {
    const other = flagToType('port', String((port % HIGHEST_PORT) + 1), process.env);
    fail(`port ${port}${where} is in use; choose another one, such as ${other}`, FAILURE);
  } else if (code === 'EACCES') fail(`${portName} ${port} is not permitted: ${message}`, USAGE);
  else if (refusal !== undefined) fail(`${hostName} ${refusal}`, USAGE);
  else throw error;
}

/**
 * The first signal drains, and so does the end of standard input, if `exitWithStdin` is on. A second
 * signal, or anything that comes before the service runs, exits at once.
 * @throws ConfigError
 */
function stopOnRequest(config: Config): void {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => requestStop(config, signal));
  }
  if (!config.of(PROCESS_SETTINGS).exitWithStdin) return;
  // A runner often closes the input of a process that it has already sent a signal.
  onInputEnd(config.nameOf('exitWithStdin'), () => {
    if (!isStopping) requestStop(config, 'end of standard input');
  });
}

function requestStop(config: Config, reason: string): void {
  if (firstStopAt !== undefined && clock.now() - firstStopAt < SAME_SIGNAL_MS) return;
  // A failed start may have set the exit status.
  if (running === undefined) process.exit();
  firstStopAt ??= clock.now();
  // `stop` ends the process itself.
  void stop(running, config, reason, OK);
}

/** Drains, then exits. Exits at once if the service is draining already. */
async function stop(app: App, config: Config, reason: string, status: number): Promise<void> {
  if (isStopping) process.exit(FAILURE);
  isStopping = true;
  log('info', 'draining', { reason });
  const { drainTimeoutMs, drainDelayMs } = config.of(PROCESS_SETTINGS);
  const inTime = await app.stop(drainTimeoutMs, drainDelayMs);
  if (inTime) log('info', 'stopped');
  else log('error', 'stopped at the deadline with requests in flight');
  process.exit(inTime ? status : FAILURE);
}

/** Ends the process with one line. */
function fail(message: string, status: number): never {
  // Opened only when needed, because opening it takes a millisecond.
  const stderr = new Output(process.stderr);
  stderr.write(printableLine(`${NAME}: ${message}`));
  stderr.flush();
  // At once. Connections of the store, or the channel of a cluster's worker, would keep it alive.
  process.exit(status);
}
