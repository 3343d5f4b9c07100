import type { Config } from '../../lib/config/index.ts';
import { describeError, type Log } from '../../lib/log.ts';
import { VERSION } from '../version.ts';
import { tlsOf, userOf } from './etcd-credentials.ts';
import type { ItemFields } from './items.ts';
import { memoryStore, type OpenStore } from './store.ts';
import { STORE_SETTINGS } from './store-settings.ts';

/** The list that a store keeps: replicas that share it must agree on this. */
export interface ListIdentity {
  readonly variant: { readonly name: string; readonly fields: ItemFields };
  readonly maxRows: number;
}

/**
 * What opens the store of the settings; only then is its code loaded. @throws ConfigError
 * @param onIncompatible called with one line if the stored list is incompatible with this service
 */
export async function configuredStore(
  config: Config,
  { variant, maxRows }: ListIdentity,
  log: Log,
  onIncompatible: (message: string) => void,
): Promise<OpenStore> {
  const { store, etcdEndpoints, etcdPrefix, reads, storeTimeoutMs } = config.of(STORE_SETTINGS);
  if (store === 'memory') return memoryStore;
  const settings = {
    etcd: { endpoints: etcdEndpoints, tls: tlsOf(config), user: userOf(config) },
    prefix: etcdPrefix,
    readsLocally: reads === 'local',
    timeoutMs: storeTimeoutMs,
    version: VERSION,
    identity: { variant: variant.name, maxRows, isMaxRowsGiven: config.isGiven('maxRows') },
  };
  const { replicaStore } = await import('./replica-store.ts');
  const events = {
    onIncompatible: ({ message }: Error) => onIncompatible(message),
    onUnavailable: (reason: string | undefined) => {
      if (reason === undefined) log('info', 'the store is available again');
      else log('warn', 'the store is unavailable', { reason });
    },
    onUnreadable: (key: string, reason: string) =>
      log('error', 'a stored item cannot be read, and is left out', { key, reason }),
    onFault: (fault: unknown) =>
      log('error', 'a write failed after it had been sent', describeError(fault)),
  };
  return (items, run) => replicaStore(settings, events, variant.fields, items, run);
}
