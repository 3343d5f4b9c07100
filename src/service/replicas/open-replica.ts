import type { Config } from '../../lib/config/index.ts';
import type { Log } from '../../lib/log.ts';
import type { OpenStore } from '../store/store.ts';
import type { ListIdentity } from './configured-store.ts';
import { STORE_SETTINGS } from './store-settings.ts';

/**
 * Returns the function that opens the store in etcd; undefined with `STORE=memory`. Loads the code of
 * replicas, which only they need.
 * @param onIncompatible called with one line if the stored list is incompatible with this service
 * @throws ConfigError
 */
export async function openReplica(
  config: Config,
  list: ListIdentity,
  log: Log,
  onIncompatible: (message: string) => void,
): Promise<OpenStore | undefined> {
  if (config.of(STORE_SETTINGS).store === 'memory') return undefined;
  const { configuredStore } = await import('./configured-store.ts');
  return configuredStore(config, list, log, onIncompatible);
}
