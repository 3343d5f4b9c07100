import { ConfigError } from '../lib/config/index.ts';
import { type App, configuredApp } from '../service/app.ts';
import { checkRuntime } from '../service/environment.ts';
import { readInput } from '../service/resource/content.ts';
import { InvalidInputError } from '../service/resource/validation.ts';
import { PROCESS_SETTINGS, urlOf } from '../service/settings/process-settings.ts';
import { ITEM_SETTINGS } from '../service/settings/settings.ts';
import { faultList } from '../service/test-double/fault-shape.ts';
import { journalFilter } from '../service/test-double/journal.ts';
import { rulesOf } from '../service/todo/all-variants.ts';
import { readSeed, seedTooLarge } from '../service/todo/seed.ts';
import { OPTIONS_INVALID, parseOptions, WAIT_OPTIONS } from './options.ts';
import type { StartTodoService, TodoService } from './types.ts';

export type * from './types.ts';
export { InvalidInputError };

const STOP_MS = 1_000;

const SEED_INVALID = 'the seed is invalid';

/** Starts a service in this process. */
export const startTodoService: StartTodoService = async (given = {}) => {
  checkRuntime();
  const { seed, config } = parseOptions(given);
  const { variant, strict } = config.of(ITEM_SETTINGS);
  const rules = rulesOf(variant, strict);
  const { host, port, basePath } = config.of(PROCESS_SETTINGS);
  const app = await configuredApp(config, {
    ...(seed !== undefined && { seed: readSeed(seed, rules, SEED_INVALID) }),
    isInProcess: true,
    // No delay, because a test without a gateway knows when it stops the service.
    http: { stopArrivalTimeout: 0 },
  }).catch((error) => {
    throw asInvalidInput(error);
  });
  const address = await app.listen(port, host).catch(async (error) => {
    await app.stop(STOP_MS);
    throw error;
  });
  const url = urlOf({ host, basePath }, address);
  return serviceOf(app, url, (given) => readSeed(given, rules, SEED_INVALID));
};

function serviceOf(
  app: App,
  url: string,
  seedOf: (given: unknown) => ReturnType<typeof readSeed>,
): TodoService {
  const { resets, faults, journal, paths, cutStreams } = app.control;
  const faultShape = faultList(paths);
  const filterShape = journalFilter(paths);
  const filterOf = (filter: unknown = {}) =>
    readInput(filterShape, filter, 'the filter is invalid');
  let stopped: Promise<unknown> | undefined;
  const stop = async () => {
    stopped ??= app.stop(STOP_MS);
    await stopped;
  };
  const checkRunning = () => {
    if (stopped !== undefined) throw new Error('the service has been stopped');
  };
  return {
    url,
    async reset(newSeed) {
      checkRunning();
      const reset = resets.reset(newSeed === undefined ? undefined : seedOf(newSeed));
      await reset.catch((error) => {
        throw asInvalidInput(error);
      });
    },
    async faults(list) {
      checkRunning();
      const subject = 'the list of faults is invalid';
      if (list !== undefined) faults.set(readInput(faultShape, list, subject));
      return faults.list;
    },
    async requests(filter) {
      checkRunning();
      return journal.list(filterOf(filter));
    },
    async waitForRequests(filter, options = {}) {
      checkRunning();
      const wanted = filterOf(filter);
      const { count, timeoutMs } = readInput(WAIT_OPTIONS, options, OPTIONS_INVALID);
      await journal.wait(wanted, count, timeoutMs);
      const found = journal.list(wanted);
      if (found.length >= count) return found;
      const time = journal.waits.hasEnded ? 'before the service stopped' : `within ${timeoutMs} ms`;
      const last = journal.list().slice(-MAX_SHOWN);
      const lines = last.map(
        ({ method, target, status }) => `${method} ${target} ${status ?? '-'}`,
      );
      const latest =
        last.length === 0 ? 'there were none at all' : `the last were ${lines.join(', ')}`;
      throw new Error(
        `${found.length} of ${count} requests came ${time}; the filter is ` +
          `${JSON.stringify(wanted)}; of all requests, ${latest}`,
      );
    },
    cutStreams() {
      checkRunning();
      cutStreams();
    },
    stop,
    // Absent in test environments that replace the globals of Node 20.
    ...(Symbol.asyncDispose && { [Symbol.asyncDispose]: stop }),
  };
}

/** The number of requests in the error of a wait that times out. */
const MAX_SHOWN = 5;

/** The error of settings that do not fit together, or of a seed that is too large. */
function asInvalidInput(error: unknown): unknown {
  if (!(error instanceof ConfigError)) return seedTooLarge(error, SEED_INVALID) ?? error;
  const detail = `is invalid: ${error.message}`;
  return new InvalidInputError(OPTIONS_INVALID, [{ pointer: '#/env', code: 'value', detail }]);
}
