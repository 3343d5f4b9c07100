import { type Settings, variableOf } from '../../lib/config/index.ts';
import { nearest } from '../../lib/nearest.ts';
import { FEATURES } from '../features/features.ts';
import { STORE_SETTINGS } from '../store/store-settings.ts';
import { ITEM_SETTINGS } from './item-settings.ts';
import { PROCESS_SETTINGS } from './process-settings.ts';

/** Every setting, in the order of `--help`. */
export const SETTINGS: Settings = {
  ...PROCESS_SETTINGS,
  ...ITEM_SETTINGS,
  ...Object.fromEntries(FEATURES.flatMap(({ settings }) => Object.entries(settings))),
  ...STORE_SETTINGS,
};

/** What the shell, or Kubernetes for each of its services, puts into the environment. */
const OF_OTHERS = /^HOST(?:NAME|TYPE)$|_(?:SERVICE_)?(?:HOST|PORT)(?:_|$)/;

/** Shorter names are too similar to others. */
const MIN_LENGTH = 6;

/** Environment variables that are no settings, but nearly have the name of one. */
export function similarSettings(env: NodeJS.ProcessEnv) {
  const names = Object.keys(SETTINGS).map(variableOf);
  const long = names.filter(({ length }) => length >= MIN_LENGTH);
  return Object.entries(env).flatMap(([variable, text]) => {
    if (!text || names.includes(variable) || OF_OTHERS.test(variable)) return [];
    const setting = variable.length < MIN_LENGTH ? undefined : nearest(variable, long);
    return setting === undefined ? [] : { variable, setting };
  });
}
