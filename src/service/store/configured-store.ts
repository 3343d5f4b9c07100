import {
  type Config,
  ConfigError,
  fileContent,
  orConfigError,
  variableOf,
} from '../../lib/config/index.ts';
import type { Log } from '../../lib/log.ts';
import { VERSION } from '../version.ts';
import type { ItemFields } from './items.ts';
import { memoryStore, type OpenStore } from './store.ts';
import { STORE_SETTINGS } from './store-settings.ts';

/** The list that a store keeps: replicas that share it must agree on this. */
export interface ListIdentity {
  readonly variant: { readonly name: string; readonly fields: ItemFields };
  readonly maxRows: number;
}

/**
 * What opens the store that the settings describe. The code of a shared one is loaded if it is.
 * @param onIncompatible called with one line if the stored list is incompatible with this service
 * @throws ConfigError
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
  const { replicaStore } = await import('../../lib/replica/index.ts');
  const events = {
    onIncompatible: ({ message }: Error) => onIncompatible(message),
    onUnavailable: (reason: string | undefined) => {
      if (reason === undefined) log('info', 'the store is available again');
      else log('warn', 'the store is unavailable', { reason });
    },
    onUnreadable: (key: string, reason: string) =>
      log('error', 'a stored item cannot be read, and is left out', { key, reason }),
  };
  return (items, run) => replicaStore(settings, events, variant.fields, items, run);
}

type TlsFile = 'etcdCa' | 'etcdCert' | 'etcdKey';

/** Checked here, because a connection could not say which file is invalid. @throws ConfigError */
function tlsOf(config: Config) {
  requireBoth(config, 'etcdCert', 'etcdKey');
  const files = config.of(STORE_SETTINGS);
  // Loaded for etcd only, because that takes as long as a tenth of the start.
  const { createPrivateKey, X509Certificate } = process.getBuiltinModule('node:crypto');
  const { createSecureContext } = process.getBuiltinModule('node:tls');
  const read = (name: TlsFile, what: string, parse: (pem: string) => unknown) => {
    const { [name]: file } = files;
    if (file === null) return undefined;
    const pem = fileContent(config.nameOf(name), file);
    orConfigError(`${config.nameOf(name)} must be a PEM ${what}`, () => parse(pem));
    return pem;
  };
  const ca = read('etcdCa', 'certificate', (pem) => new X509Certificate(pem));
  const cert = read('etcdCert', 'certificate', (pem) => new X509Certificate(pem));
  const key = read('etcdKey', 'key', createPrivateKey);
  const rule = `${config.nameOf('etcdKey')} must be the key of ${config.nameOf('etcdCert')}`;
  if (cert !== undefined) orConfigError(rule, () => createSecureContext({ ca, cert, key }));
  return { ca, cert, key };
}

/** @throws ConfigError */
function userOf(config: Config) {
  const { etcdUser, etcdPasswordFile } = config.of(STORE_SETTINGS);
  requireBoth(config, 'etcdUser', 'etcdPasswordFile');
  if (etcdUser === null || etcdPasswordFile === null) return undefined;
  const password = fileContent(config.nameOf('etcdPasswordFile'), etcdPasswordFile);
  return { name: etcdUser, password };
}

/** Requires that settings are given together. @throws ConfigError */
function requireBoth(config: Config, ...names: readonly (keyof typeof STORE_SETTINGS)[]): void {
  const given = names.find((name) => config.isGiven(name));
  const missing = names.find((name) => !config.isGiven(name));
  if (given === undefined || missing === undefined) return;
  throw new ConfigError(`${config.nameOf(given)} needs ${variableOf(missing)} as well`);
}
