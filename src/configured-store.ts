import type { SourceOf } from './config/command-line.ts';
import { fileContent } from './config/file-content.ts';
import { ConfigError } from './config/setting.ts';
import type { Config } from './config/settings.ts';
import type { Log } from './log.ts';
import { storeProblem } from './store-problems.ts';
import type { OpenStore } from './todo/shared-store.ts';

/**
 * Loads the code of the shared store that the settings describe.
 * @param sourceOf names the settings in errors
 * @param onIncompatible called with one line if the stored list is incompatible with this service
 * @returns the function that opens it
 * @throws ConfigError
 */
export async function configuredStore(
  config: Config,
  sourceOf: SourceOf,
  log: Log,
  onIncompatible: (message: string) => void,
): Promise<OpenStore> {
  const { variant, maxRows } = config;
  const named = (variable: string) => sourceOf(variable) ?? variable;
  requireBoth(named, ['ETCD_CERT', config.etcdCert], ['ETCD_KEY', config.etcdKey]);
  const { etcdTls } = await import('./etcd-tls.ts');
  const settings = {
    etcd: {
      endpoints: config.etcdEndpoints,
      tls: etcdTls(config, named),
      user: etcdUserOf(config, named),
    },
    prefix: config.etcdPrefix,
    readsLocally: config.reads === 'local',
    timeoutMs: config.storeTimeoutMs,
    identity: {
      variant: variant.name,
      maxRows,
      isMaxRowsGiven: sourceOf('MAX_ROWS') !== undefined,
    },
  };
  const { Replica } = await import('./replica/replica.ts');
  const events = {
    fail: storeProblem,
    onIncompatible: ({ message }: Error) => onIncompatible(message),
    onUnavailable: (reason: string | undefined) => {
      if (reason === undefined) log('info', 'the store is available again');
      else log('warn', 'the store is unavailable', { reason });
    },
    onUnreadable: (key: string, reason: string) =>
      log('error', 'a stored item cannot be read, and is left out', { key, reason }),
  };
  return (table, seedRows) => new Replica(settings, events, variant.fields, table, seedRows);
}

/** @throws ConfigError */
function etcdUserOf({ etcdUser, etcdPasswordFile }: Config, named: Named) {
  requireBoth(named, ['ETCD_USER', etcdUser], ['ETCD_PASSWORD_FILE', etcdPasswordFile]);
  if (etcdUser === null || etcdPasswordFile === null) return undefined;
  const content = fileContent(named('ETCD_PASSWORD_FILE'), etcdPasswordFile);
  return { name: etcdUser, password: content.replace(/\r?\n$/, '') };
}

/** Names a setting as it was given. */
type Named = (variable: string) => string;

/**
 * Requires that two settings are given together.
 * @throws ConfigError
 */
function requireBoth(
  named: Named,
  ...settings: readonly (readonly [variable: string, value: string | null])[]
): void {
  const given = settings.find(([, value]) => value !== null);
  const missing = settings.find(([, value]) => value === null);
  if (given && missing) throw new ConfigError(`${named(given[0])} needs ${missing[0]} as well`);
}
