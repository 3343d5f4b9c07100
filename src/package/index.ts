import { isIPv6 } from 'node:net';
import { type Config, ConfigError, parseEnvironment, variableOf } from '../lib/config/index.ts';
import { isJsonObject, type JsonObject } from '../lib/json/index.ts';
import { formatValue } from '../lib/printable.ts';
import { TableError } from '../lib/table/index.ts';
import { configuredApp } from '../service/app.ts';
import { checkRuntime } from '../service/environment.ts';
import type { TestControl } from '../service/features/control/control.ts';
import { checkedObject, range, withoutUndefined } from '../service/features/control/member-rule.ts';
import { STORE_SETTINGS } from '../service/replicas/settings.ts';
import { PROCESS_SETTINGS } from '../service/settings/process-settings.ts';
import { ITEM_SETTINGS, SETTINGS } from '../service/settings/settings.ts';
import { checkSeed, SeedError } from '../service/todo/seed.ts';
import type { StartTodoService, WaitOptions } from './types.ts';

export type * from './types.ts';

const STOP_MS = 1_000;

/** The default of `HOST`, which only this machine can reach. */
const HOST = '127.0.0.1';

const WAIT_MS = 5_000;

/** Starts a service in this process. */
export const startTodoService: StartTodoService = async (given = {}) => {
  checkRuntime();
  const { seed, config } = parsedOptions(given);
  const { variant } = config.of(ITEM_SETTINGS);
  const { host, port, basePath } = config.of(PROCESS_SETTINGS);
  const app = await asSeedError(() =>
    configuredApp(config, {
      ...(seed !== undefined && { seed: checkSeed(seed, variant.fields).items }),
      isInProcess: true,
      // No delay, because a test without a gateway knows when it stops the service.
      http: { stopArrivalTimeout: 0 },
    }),
  );
  const { control } = app;
  let stopped: Promise<unknown> | undefined;
  const stop = async () => {
    stopped ??= app.stop(STOP_MS);
    await stopped;
  };
  const listening = app.listen(port, host === '*' ? undefined : host);
  const { address, port: bound } = await listening.catch(async (error) => {
    await stop();
    throw error;
  });
  return {
    url: `http://${connectableHost(host, address)}:${bound}${basePath}`,
    reset: (other) =>
      asSeedError(() =>
        control.resets.reset(other === undefined ? undefined : checkSeed(other, variant.fields)),
      ),
    faults: async (faults) => control.faults.set(control.faults.check({ faults })),
    requests: async (filter) => control.journal.list(control.journal.checkFilter(filter)),
    waitForRequests: async (filter, options) => waitForRequests(control, filter, options),
    cutStreams: () => control.cutStreams(),
    stop,
    // Absent in test environments that replace the globals of Node 20.
    ...(Symbol.asyncDispose && { [Symbol.asyncDispose]: stop }),
  };
};

/** A host that clients can connect to. A wildcard address is replaced by loopback. */
function connectableHost(host: string, address: string): string {
  if (['0.0.0.0', '::'].includes(address)) return HOST;
  return isIPv6(host) ? `[${host}]` : host;
}

async function waitForRequests(control: TestControl, filter: unknown, options: unknown = {}) {
  const { journal } = control;
  const wanted = journal.checkFilter(filter);
  const failure = 'the options are invalid';
  const given = checkedObject(options, WAIT_RULES, failure, 'they');
  const { count, timeoutMs }: Required<WaitOptions> = { count: 1, timeoutMs: WAIT_MS, ...given };
  await journal.wait(wanted, count, timeoutMs);
  const found = journal.list(wanted);
  if (found.length >= count) return found;
  const time = journal.waits.hasEnded ? 'before the service stopped' : `within ${timeoutMs} ms`;
  const came = `${found.length} of ${count} requests came ${time}`;
  throw new Error(`${came}; the filter is ${JSON.stringify(wanted)}`);
}

/** How to wait; at most as long as a timer can. */
const WAIT_RULES = { count: range('integer', 0), timeoutMs: range('number', 0, 2 ** 31 - 1) };

/** Parses options of a caller that may have no types. An undefined member counts as absent. */
function parsedOptions(given: unknown): { readonly config: Config; readonly seed: unknown } {
  if (!isJsonObject(given)) throw new ConfigError('the options must be an object');
  const { variant, port, seed, env = {}, ...others } = given;
  const [unknown] = Object.keys(withoutUndefined(others));
  if (unknown !== undefined) {
    throw new ConfigError(`${unknown} is not an option; the options are variant, port, seed, env`);
  }
  if (!isJsonObject(env)) throw new ConfigError('env must be an object');
  const refused = Object.keys(env).find((name) => isGiven(env[name]) && !IN_ENV.includes(name));
  if (refused !== undefined) throw new ConfigError(`${refused} is not a setting that env can have`);
  if (seed !== undefined && isGiven(env.SEED_FILE)) {
    throw new ConfigError('set seed or SEED_FILE, not both');
  }
  const own = withoutUndefined({ PORT: port, VARIANT: variant });
  const config = parseEnvironment(SETTINGS, environmentOf({ ...env, ...own }));
  if (config.of(STORE_SETTINGS).store === 'memory') return { config, seed };
  throw new ConfigError('STORE must be memory in the package');
}

/** The time zone belongs to the whole process, and the port is an option. */
const IN_ENV = Object.keys(SETTINGS)
  .map(variableOf)
  .filter((name) => name !== 'TZ' && name !== 'PORT');

/** An empty variable counts as unset, here too. */
function isGiven(value: unknown): boolean {
  return value !== undefined && value !== '';
}

function environmentOf(variables: JsonObject): NodeJS.ProcessEnv {
  const given = Object.entries(variables).filter(([, value]) => isGiven(value));
  const texts = given.map(([name, value]) => {
    if (['object', 'function', 'symbol'].includes(typeof value)) {
      throw new ConfigError(`${name} must be a text or a number, not ${formatValue(value)}`);
    }
    // Callers without types may give numbers and booleans.
    return [name, String(value)];
  });
  return { HOST, PORT: '0', ...Object.fromEntries(texts) };
}

/** @returns a promise, rejected with a SeedError if the seed is invalid, or does not fit */
async function asSeedError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SeedError || error instanceof TableError)) throw error;
    const violations = error instanceof SeedError ? error.violations : [];
    throw new SeedError(`the seed is invalid: ${error.message}`, violations);
  }
}
