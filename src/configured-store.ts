import type { Config } from './config/config.ts';
import { fileContent } from './config/file-content.ts';
import { ConfigError, type Setting } from './config/setting.ts';
import { ETCD_SETTINGS } from './etcd-settings.ts';
import type { Log } from './log.ts';
import { ITEM_SETTINGS } from './todo/settings.ts';
import type { OpenStore } from './todo/store/store.ts';
import { VERSION } from './version.ts';

/**
 * Loads the code of the shared store that the settings describe.
 * @param onIncompatible called with one line if the stored list is incompatible with this service
 * @returns the function that opens it
 * @throws ConfigError
 */
export async function configuredStore(
  config: Config,
  log: Log,
  onIncompatible: (message: string) => void,
): Promise<OpenStore> {
  const { variant, maxRows } = config.of(ITEM_SETTINGS);
  const { etcdEndpoints, etcdPrefix, reads, storeTimeoutMs } = config.of(ETCD_SETTINGS);
  requireBoth(config, ETCD_SETTINGS.etcdCert, ETCD_SETTINGS.etcdKey);
  const { etcdTls } = await import('./etcd-tls.ts');
  const settings = {
    etcd: {
      endpoints: etcdEndpoints,
      tls: etcdTls(config),
      user: etcdUserOf(config),
    },
    prefix: etcdPrefix,
    readsLocally: reads === 'local',
    timeoutMs: storeTimeoutMs,
    version: VERSION,
    identity: {
      variant: variant.name,
      maxRows,
      isMaxRowsGiven: config.isGiven(ITEM_SETTINGS.maxRows),
    },
  };
  const { Replica } = await import('./replica/replica.ts');
  const events = {
    onIncompatible: ({ message }: Error) => onIncompatible(message),
    onUnavailable: (reason: string | undefined) => {
      if (reason === undefined) log('info', 'the store is available again');
      else log('warn', 'the store is unavailable', { reason });
    },
    onUnreadable: (key: string, reason: string) =>
      log('error', 'a stored item cannot be read, and is left out', { key, reason }),
  };
  return (items, run) => new Replica(settings, events, variant.fields, items, run);
}

/** @throws ConfigError */
function etcdUserOf(config: Config) {
  const { etcdUser, etcdPasswordFile } = config.of(ETCD_SETTINGS);
  requireBoth(config, ETCD_SETTINGS.etcdUser, ETCD_SETTINGS.etcdPasswordFile);
  if (etcdUser === null || etcdPasswordFile === null) return undefined;
  const content = fileContent(config.nameOf(ETCD_SETTINGS.etcdPasswordFile), etcdPasswordFile);
  return { name: etcdUser, password: content.replace(/\r?\n$/, '') };
}

/**
 * Requires that two settings are given together.
 * @throws ConfigError
 */
function requireBoth(config: Config, ...settings: readonly Setting<unknown>[]): void {
  const given = settings.find((setting) => config.isGiven(setting));
  const missing = settings.find((setting) => !config.isGiven(setting));
  if (given === undefined || missing === undefined) return;
  throw new ConfigError(`${config.nameOf(given)} needs ${missing.variable} as well`);
}
