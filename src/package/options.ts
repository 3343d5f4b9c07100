import { parseEnvironment, refusalOf, type Settings, variableOf } from '../lib/config/index.ts';
import { isJsonObject } from '../lib/json/index.ts';
import { formatValue } from '../lib/printable.ts';
import { readInput } from '../service/resource/request-content.ts';
import { resourceOfProgram } from '../service/resource/schema/resource-file.ts';
import { object, type Shape } from '../service/resource/shape.ts';
import { PROCESS_SETTINGS } from '../service/settings/process-settings.ts';
import { ITEM_SETTINGS, SETTINGS } from '../service/settings/service-settings.ts';

/** The default of `HOST`, which only this machine can reach. */
const HOST = '127.0.0.1';

interface Options {
  readonly variant?: string;
  readonly resource?: string | object;
  readonly port?: string;
  readonly seed?: unknown;
  readonly env?: Readonly<Record<string, string>>;
}

/** A resource of one's own: the path of its schema, or the schema. */
const RESOURCE: Shape<string | object> = {
  schema: {},
  read(given, validation) {
    if (isJsonObject(given)) return given;
    if (typeof given === 'string' && given !== '') return given;
    const found = formatValue(given);
    return validation.violate('type', `must be a JSON Schema or the path of one, not ${found}`);
  },
};

/** The options of a service. The settings of `env` are named as environment variables. */
const OPTIONS: Shape<Options> = object<Options>(
  {
    variant: settingShape(ITEM_SETTINGS.variant),
    resource: RESOURCE,
    port: settingShape(PROCESS_SETTINGS.port),
    seed: { schema: {}, read: (given) => given, ifNull: 'is a value' },
    env: object<Record<string, string>>({
      ...Object.fromEntries(
        Object.entries(SETTINGS).map(([name, setting]) => [
          variableOf(name),
          settingShape(setting),
        ]),
      ),
      TZ: fixedSetting('belongs to the whole process; set it before Node starts'),
      PORT: fixedSetting('is the option port'),
      EXIT_WITH_STDIN: fixedSetting('is for a process of its own; call stop() instead'),
      STORE: fixedSetting('must be memory in the package', 'memory'),
    }),
  },
  {
    check({ variant, resource, seed, env }, validation) {
      const { SEED_FILE, VARIANT, RESOURCE: ofEnv } = Object(env);
      const refuse = (name: string, other: string) =>
        validation.violateAt(name, 'value', `must not be given beside ${other}`);
      if (seed !== undefined && isGiven(SEED_FILE)) refuse('seed', 'SEED_FILE');
      if (resource !== undefined && isGiven(ofEnv)) refuse('resource', 'RESOURCE');
      const hasResource = resource !== undefined || isGiven(ofEnv);
      if (hasResource && isGiven(variant)) refuse('variant', 'a resource');
      if (hasResource && isGiven(VARIANT)) refuse('env', 'a resource, because it has VARIANT');
    },
  },
);

/**
 * Parses the options of a service.
 * @returns `definition` is undefined if the settings name it @throws InvalidInputError
 */
export function parseOptions(given: unknown) {
  const { variant, resource, port = '0', seed, env } = readInput(OPTIONS, given, OPTIONS_INVALID);
  const ownSettings = {
    PORT: port,
    ...(variant !== undefined && { VARIANT: variant }),
    ...(typeof resource === 'string' && { RESOURCE: resource }),
  };
  const config = parseEnvironment(SETTINGS, { HOST, ...env, ...ownSettings });
  const definition = isJsonObject(resource) ? resourceOfProgram(resource) : undefined;
  return { config, seed, definition };
}

/** The beginning of the message about invalid options. */
export const OPTIONS_INVALID = 'the options object is invalid';

/** The text of a setting. An empty one counts as absent. */
function settingShape(setting: Settings[string]): Shape<string> {
  return {
    schema: {},
    read(given, validation) {
      if (['object', 'function', 'symbol'].includes(typeof given)) {
        const detail = `must be a text or a number, not ${formatValue(given)}`;
        return validation.violate('type', detail);
      }
      // Callers without types may give numbers and booleans.
      const text = String(given);
      if (!isGiven(text)) return undefined;
      if (setting.parse(text) !== undefined) return text;
      return validation.violate('value', refusalOf({ setting, text }));
    },
  };
}

/** A setting that `env` cannot change. It may only have the value `allowed`. */
function fixedSetting(detail: string, allowed = ''): Shape<string> {
  return {
    schema: {},
    read: (given, validation) =>
      isGiven(given) && given !== allowed ? validation.violate('value', detail) : undefined,
  };
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== '';
}
