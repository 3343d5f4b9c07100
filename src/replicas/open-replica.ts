import type { Config } from '../lib/config/index.ts';
import type { Log } from '../lib/log.ts';
import type { configuredStore, ListIdentity } from './configured-store.ts';
import { STORE_SETTINGS } from './store-settings.ts';

/**
 * Returns the function that keeps a list in etcd; undefined with `STORE=memory`, which loads no code of
 * replicas.
 * @param onIncompatible called with one line if the stored list is incompatible with this service
 * @throws ConfigError
 */
export async function openReplica(
  config: Config,
  list: ListIdentity,
  log: Log,
  onIncompatible: (message: string) => void,
): Promise<ReturnType<typeof configuredStore> | undefined> {
  if (config.of(STORE_SETTINGS).store === 'memory') return undefined;
  const replicas = await import('./configured-store.ts');
  return replicas.configuredStore(config, list, log, onIncompatible);
}
