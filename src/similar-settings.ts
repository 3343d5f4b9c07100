import type { Setting } from './config/setting.ts';
import { nearest } from './resource/query/nearest.ts';

/** What the shell, or Kubernetes for each of its services, puts into the environment. */
const OF_OTHERS = /^HOST(?:NAME|TYPE)$|_(?:SERVICE_)?(?:HOST|PORT)(?:_|$)/;

/** Shorter names are too similar to others. */
const MIN_LENGTH = 6;

/** Environment variables that are no settings, but nearly have the name of one. */
export function similarSettings(
  settings: readonly Setting<unknown>[],
  env: NodeJS.ProcessEnv,
): readonly { readonly variable: string; readonly setting: string }[] {
  const names = settings.map(({ variable }) => variable);
  const long = names.filter(({ length }) => length >= MIN_LENGTH);
  return Object.keys(env).flatMap((variable) => {
    if (names.includes(variable) || OF_OTHERS.test(variable)) return [];
    const setting = variable.length < MIN_LENGTH ? undefined : nearest(variable, long);
    return setting === undefined ? [] : { variable, setting };
  });
}
