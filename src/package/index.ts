import { ConfigError } from '../lib/config/index.ts';
import { type App, configuredApp } from '../service/app.ts';
import { checkRuntime } from '../service/environment.ts';
import type { Mount } from '../service/items/item-list.ts';
import { readSeed, seedTooLarge } from '../service/items/seed.ts';
import { isListName } from '../service/lists/list-name.ts';
import { rulesOf } from '../service/resource/definition.ts';
import { InvalidInputError } from '../service/resource/validation.ts';
import { configuredDefinition } from '../service/settings/configured-definition.ts';
import { hostRefusal, PROCESS_SETTINGS, urlOf } from '../service/settings/process-settings.ts';
import { ITEM_SETTINGS } from '../service/settings/service-settings.ts';
import { OPTIONS_INVALID, parseOptions } from './options.ts';
import { testControl } from './test-control.ts';
import type { ItemList as ListControl, StartTodoService, TodoService } from './types.ts';

export type * from './types.ts';
export { InvalidInputError };

const STOP_MS = 1_000;

const SEED_INVALID = 'the seed is invalid';

/** Starts a service in this process. */
export const startTodoService: StartTodoService = async (
  given: unknown = {},
): Promise<TodoService<unknown>> => {
  checkRuntime();
  const { seed, config, definition = configuredDefinition(config) } = parseOptions(given);
  const rules = rulesOf(definition, config.of(ITEM_SETTINGS).strict);
  const { host, port, basePath } = config.of(PROCESS_SETTINGS);
  const seedOption = seed === undefined ? {} : { seed: readSeed(seed, rules, SEED_INVALID) };
  // No delay, because no load balancer has to notice the stop.
  const http = { stopArrivalTimeout: 0 };
  const app = await asInvalidInput(
    configuredApp(config, { definition, ...seedOption, http, isInProcess: true }),
  );
  const address = await app.listen(port, host).catch(async (error) => {
    await app.stop(STOP_MS);
    const detail = hostRefusal(host, error);
    throw detail === undefined ? error : invalidOption('#/env/HOST', detail);
  });
  return serviceOf(app, urlOf({ host, basePath }, address), (newSeed) =>
    readSeed(newSeed, rules, SEED_INVALID),
  );
};

/** Reads a seed, or throws an InvalidInputError. */
type CheckSeed = (given: unknown) => ReturnType<typeof readSeed>;

function serviceOf(app: App, url: string, checkedSeed: CheckSeed): TodoService<unknown> {
  const { lists } = app.control;
  let stopped: Promise<unknown> | undefined;
  const checkRunning = () => {
    if (stopped !== undefined) throw new Error('the service has been stopped');
  };
  const stop = async () => {
    stopped ??= app.stop(STOP_MS);
    await stopped;
  };
  return {
    ...listOf(app, app.base, {
      url,
      checkedSeed,
      endReason: 'the service stopped',
      checkRunning,
      stop,
    }),
    async list(name, seed) {
      checkRunning();
      checkName(name);
      const given = seed === undefined ? undefined : checkedSeed(seed);
      const check = (mount: Mount | undefined) => {
        if (mount !== undefined) throw invalidName(`is the name of another list, ${name}`);
      };
      const { mount } = await asInvalidInput(lists.put(name, { check, readItems: () => given }));
      let removed: Promise<void> | undefined;
      return listOf(app, mount, {
        url: `${url}/lists/${name}`,
        checkedSeed,
        endReason: 'the list was removed',
        checkRunning() {
          checkRunning();
          if (mount.isRemoved || removed !== undefined) {
            throw new Error('the list has been removed');
          }
        },
        async stop() {
          removed ??= lists.remove(name, { only: mount });
          await removed;
        },
      });
    },
  };
}

interface ControlledList {
  readonly url: string;
  readonly checkedSeed: CheckSeed;
  /** Why a wait ends: the end of "before …". */
  readonly endReason: string;
  /** @throws Error after a stop */
  readonly checkRunning: () => void;
  readonly stop: () => Promise<void>;
}

/** The control of the list in a mount. */
function listOf(
  { control: { lists, paths } }: App,
  mount: Mount,
  { url, checkedSeed, endReason, checkRunning, stop }: ControlledList,
): ListControl<unknown> {
  return {
    url,
    async reset(newSeed) {
      checkRunning();
      const given = newSeed === undefined ? undefined : checkedSeed(newSeed);
      await asInvalidInput(lists.reset(mount, { readItems: () => given }));
    },
    ...testControl(paths, mount, { checkRunning, endReason }),
    cutStreams() {
      checkRunning();
      mount.hub?.endStreams();
    },
    stop,
    // Absent in test environments that replace the globals of Node 20.
    ...(Symbol.asyncDispose && { [Symbol.asyncDispose]: stop }),
  };
}

/** @throws InvalidInputError if a value cannot be the name of a list */
function checkName(name: unknown): void {
  if (typeof name === 'string' && isListName(name)) return;
  throw invalidName('must be a text of 1 to 64 of A-Z a-z 0-9 . _ - ~, and not . or ..');
}

function invalidName(detail: string): InvalidInputError {
  return new InvalidInputError('the name is invalid', [{ pointer: '#', code: 'value', detail }]);
}

/** Rejects with an InvalidInputError if settings do not fit together, or if a seed is too large. */
async function asInvalidInput<T>(result: Promise<T>): Promise<T> {
  try {
    return await result;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw seedTooLarge(error, SEED_INVALID) ?? error;
    throw invalidOption('#/env', `is invalid: ${error.message}`);
  }
}

/** @param pointer the place in the options */
function invalidOption(pointer: string, detail: string): InvalidInputError {
  return new InvalidInputError(OPTIONS_INVALID, [{ pointer, code: 'value', detail }]);
}
