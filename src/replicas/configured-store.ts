import {
  type Config,
  ConfigError,
  fileContent,
  orConfigError,
  variableOf,
} from '../lib/config/index.ts';
import type { HttpServer } from '../lib/http/index.ts';
import type { Log } from '../lib/log.ts';
import { loadModule } from '../lib/node-module.ts';
import type { Lists } from '../service/lists/lists.ts';
import type { Definition } from '../service/resource/definition.ts';
import { replicaStore } from './replica-store.ts';
import { sharedRoutes } from './shared-routes.ts';
import { STORE_SETTINGS } from './store-settings.ts';

/** The properties of a list on which all its replicas must agree. */
export interface ListIdentity {
  readonly variant: Pick<Definition, 'name' | 'fields' | 'columns' | 'api'>;
  readonly maxRows: number;
}

/**
 * Creates the function that keeps a list in etcd, as the settings describe it.
 * @param onIncompatible called with one line if the stored list is incompatible with this service
 * @throws ConfigError
 */
export function configuredStore(
  config: Config,
  { variant, maxRows }: ListIdentity,
  log: Log,
  onIncompatible: (message: string) => void,
): (lists: Lists, server: HttpServer) => ReturnType<typeof sharedRoutes> {
  const { changes } = config;
  for (const name of ['lists', 'listsByHeader']) {
    if (changes[variableOf(name)] === undefined) continue;
    const rule = 'needs STORE=memory; with etcd there is one list, at the base path';
    throw new ConfigError(`${config.nameOf(name)} ${rule}`);
  }
  const { etcdEndpoints, etcdPrefix, storeTimeoutMs } = config.of(STORE_SETTINGS);
  const settings = {
    etcd: { endpoints: etcdEndpoints, tls: tlsOf(config), user: userOf(config) },
    prefix: etcdPrefix,
    timeoutMs: storeTimeoutMs,
    identity: {
      variant: storedName(variant),
      schema: variant.columns ?? variant.fields,
      maxRows,
      isMaxRowsGiven: config.isGiven('maxRows'),
    },
  };
  const events = {
    onIncompatible: ({ message }: Error) => onIncompatible(message),
    onUnavailable: (reason: string | undefined) => {
      if (reason === undefined) log('info', 'the store is available again');
      else log('warn', 'the store is unavailable', { reason });
    },
    onRestored: () => log('warn', 'etcd was restored to an earlier state; later writes are gone'),
    onOtherCluster: (reason: string) =>
      log('warn', 'the answers of an endpoint of etcd are ignored', { reason }),
  };
  const { items } = variant.api;
  return (lists, server) => sharedRoutes(replicaStore(settings, events, lists), server, items);
}

/**
 * The name of a definition in stored lists. That of a resource of one's own has the names of its
 * members, whose order replicas must share.
 */
function storedName({ name, fields, columns }: ListIdentity['variant']): string {
  return columns === undefined ? name : `${name} (${Object.keys(fields).join(', ')})`;
}

/** Returns the TLS context for a new connection, from the current files. @throws ConfigError */
function tlsOf(config: Config) {
  requireBoth(config, 'etcdCert', 'etcdKey');
  const { etcdCa, etcdCert } = config.of(STORE_SETTINGS);
  if (etcdCa === null && etcdCert === null) return undefined;
  const { X509Certificate } = loadModule('node:crypto');
  const { createSecureContext } = loadModule('node:tls');
  const certificateIn = (name: SecretFile) => {
    const read = readerOf(config, name);
    return () => {
      const pem = read?.();
      // Checked here, because the error of a connection would not name the file.
      const rule = `${config.nameOf(name)} must be a PEM certificate`;
      if (pem !== undefined) orConfigError(rule, () => new X509Certificate(pem));
      return pem;
    };
  };
  const [ca, cert] = [certificateIn('etcdCa'), certificateIn('etcdCert')];
  const key = readerOf(config, 'etcdKey');
  const rule = `${config.nameOf('etcdKey')} must be the unencrypted PEM key of ${config.nameOf('etcdCert')}`;
  return withLastGoodValue(() => {
    const files = { ca: ca(), cert: cert(), key: key?.() };
    return orConfigError(rule, () => createSecureContext(files));
  });
}

/** The user, and the password for the next login. @throws ConfigError */
function userOf(config: Config) {
  requireBoth(config, 'etcdUser', 'etcdPasswordFile');
  const { etcdUser: name } = config.of(STORE_SETTINGS);
  const read = readerOf(config, 'etcdPasswordFile');
  return name === null || read === undefined
    ? undefined
    : { name, password: withLastGoodValue(read) };
}

type SecretFile = 'etcdCa' | 'etcdCert' | 'etcdKey' | 'etcdPasswordFile';

/** Reads a file on each call; undefined if the setting has none. */
function readerOf(config: Config, name: SecretFile): (() => string) | undefined {
  const { [name]: file } = config.of(STORE_SETTINGS);
  return file === null ? undefined : () => fileContent(config.nameOf(name), file);
}

/** Re-reads on each call; falls back to the last good value. @throws ConfigError at first */
function withLastGoodValue<T>(read: () => T): () => T {
  let last = read();
  return () => {
    try {
      last = read();
    } catch (error) {
      // An operator may be replacing the files one by one, or writing them.
      if (!(error instanceof ConfigError)) throw error;
    }
    return last;
  };
}

function requireBoth(config: Config, ...names: readonly (keyof typeof STORE_SETTINGS)[]): void {
  const given = names.find((name) => config.isGiven(name));
  const missing = names.find((name) => !config.isGiven(name));
  if (given === undefined || missing === undefined) return;
  throw new ConfigError(`${config.nameOf(given)} needs ${variableOf(missing)} as well`);
}
