import { type Config, ConfigError, parseCommand, variableOf } from '../lib/config/index.ts';
import { isJsonObject } from '../lib/json/index.ts';
import { configuredApp } from '../service/app.ts';
import { faultsOf } from '../service/features/admin/fault-content.ts';
import type { TestControl } from '../service/features/admin/test-control.ts';
import { ITEM_SETTINGS } from '../service/settings/item-settings.ts';
import { PROCESS_SETTINGS } from '../service/settings/process-settings.ts';
import { SETTINGS } from '../service/settings/settings.ts';
import { STORE_SETTINGS } from '../service/store/store-settings.ts';
import { seedOf } from '../service/todo/seed.ts';
import type { SeedItem, StartTodoService, TodoServiceOptions } from './types.ts';

export type * from './types.ts';

/** How long requests in flight may take when a service stops, in milliseconds. */
const STOP_MS = 1_000;

/** This machine only, unless `HOST` says otherwise. */
const HOST = '127.0.0.1';

/** Starts a service in this process. */
export const startTodoService: StartTodoService = async (options = {}) => {
  checkOptions(options);
  const config = configOf(options);
  const { host, port, basePath } = config.of(PROCESS_SETTINGS);
  const controls: TestControl[] = [];
  const app = configuredApp(config, {
    ...(options.seed && { seed: itemsOf(options.seed, config) }),
    onControl: (control) => controls.push(control),
    // No gateway is between the service and a test, which knows of the stop.
    http: { stopArrivalTimeout: 0 },
  });
  const [control] = controls;
  if (control === undefined) throw new TypeError('a service has a control');
  const address = await app.listen(port, host === '*' ? undefined : host);
  const name = host.includes(':') ? `[${host}]` : host === '*' ? HOST : host;
  let stopped: Promise<unknown> | undefined;
  return {
    url: `http://${name}:${address.port}${basePath}`,
    reset: (seed) => control.reset(() => seed),
    faults: (faults) => control.faults.set(faultsOf(faults)),
    requests: () => control.journal.list(),
    cutStreams: () => control.cutStreams(),
    stop: async () => {
      stopped ??= app.stop(STOP_MS);
      await stopped;
    },
  };
};

const OPTIONS: readonly string[] = ['variant', 'port', 'seed', 'env'];

/** Checks options for callers without types. @throws ConfigError */
function checkOptions(options: unknown): void {
  if (!isJsonObject(options)) throw new ConfigError('the options must be an object');
  const unknown = Object.keys(options).find((name) => !OPTIONS.includes(name));
  if (unknown !== undefined) {
    throw new ConfigError(`${unknown} is not an option; the options are ${OPTIONS.join(', ')}`);
  }
  const { env = {}, seed = [] } = options;
  if (!Array.isArray(seed)) throw new ConfigError('seed must be an array of create requests');
  if (!isJsonObject(env)) throw new ConfigError('env must be an object');
  for (const [name, reason] of Object.entries(REFUSED)) {
    if (name in env) throw new ConfigError(`${name} is not an option: ${reason}`);
  }
  const variables = Object.keys(SETTINGS).map(variableOf);
  const unsettable = Object.keys(env).find((name) => !variables.includes(name));
  if (unsettable !== undefined) throw new ConfigError(`${unsettable} is not a setting`);
  if (options.seed && env.SEED_FILE) throw new ConfigError('seed and SEED_FILE exclude each other');
}

/** Settings that env cannot have, and why. */
const REFUSED: Readonly<Record<string, string>> = {
  TZ: 'it belongs to the whole process',
  PORT: 'use port',
};

/** @throws ConfigError */
function configOf({ variant, port = 0, env = {} }: TodoServiceOptions): Config {
  // Callers without types may give numbers and booleans.
  const given = Object.entries(env).filter(([, value]) => value !== undefined);
  const texts = Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
  const settings = { HOST, ...texts, PORT: String(port), ...(variant && { VARIANT: variant }) };
  const command = parseCommand(SETTINGS, [], settings);
  if (command.name !== 'serve') throw new ConfigError('there are no flags');
  if (command.config.of(STORE_SETTINGS).store === 'memory') return command.config;
  throw new ConfigError('STORE must be memory in the package');
}

/** @throws ConfigError, SeedError */
function itemsOf(seed: readonly SeedItem[], config: Config) {
  const { fields } = config.of(ITEM_SETTINGS).variant;
  const { items, dropped } = seedOf(JSON.parse(JSON.stringify(seed)), fields);
  if (dropped.length > 0) throw new ConfigError(`seed must not have ${dropped.join(', ')}`);
  return items;
}
