import { readFileSync } from 'node:fs';
import { ConfigError } from './config/setting.ts';
import type { Config } from './config/settings.ts';
import type { Log } from './log.ts';
import { storeProblem } from './shared-service.ts';
import type { OpenStore } from './todo/shared-store.ts';

/**
 * Loads the code of the shared store that the settings describe.
 * @param isGiven whether a setting was set explicitly
 * @param onIncompatible called with one line if the stored list is incompatible with this service
 * @returns the function that opens it
 * @throws ConfigError
 */
export async function configuredStore(
  config: Config,
  isGiven: (variable: string) => boolean,
  log: Log,
  onIncompatible: (message: string) => void,
): Promise<OpenStore> {
  const { variant, maxRows, etcdUser, etcdPasswordFile } = config;
  if ((etcdUser === null) !== (etcdPasswordFile === null)) {
    throw new ConfigError('ETCD_USER and ETCD_PASSWORD_FILE go together');
  }
  if ((config.etcdCert === null) !== (config.etcdKey === null)) {
    throw new ConfigError('ETCD_CERT and ETCD_KEY go together');
  }
  const password = contentOf('ETCD_PASSWORD_FILE', etcdPasswordFile)?.replace(/\r?\n$/, '') ?? '';
  const settings = {
    etcd: {
      endpoints: config.etcdEndpoints,
      tls: {
        ca: contentOf('ETCD_CA', config.etcdCa),
        cert: contentOf('ETCD_CERT', config.etcdCert),
        key: contentOf('ETCD_KEY', config.etcdKey),
      },
      user: etcdUser === null ? undefined : { name: etcdUser, password },
    },
    prefix: config.etcdPrefix,
    readsLocally: config.reads === 'local',
    timeoutMs: config.storeTimeoutMs,
    identity: { variant: variant.name, maxRows, isMaxRowsGiven: isGiven('MAX_ROWS') },
  };
  let isUnreachable = false;
  const onUnreachable = (reason: string | undefined) => {
    if (isUnreachable === (reason !== undefined)) return;
    isUnreachable = reason !== undefined;
    if (isUnreachable) log('warn', 'etcd cannot be followed', { reason });
    else log('info', 'etcd is followed again');
  };
  const { Replica } = await import('./replica/replica.ts');
  const events = {
    fail: storeProblem,
    onIncompatible: ({ message }: Error) => onIncompatible(message),
    onUnreachable,
  };
  return (table, seedRows) => new Replica(settings, events, variant.fields, table, seedRows);
}

/** @throws ConfigError */
function contentOf(variable: string, file: string | null): string | undefined {
  if (file === null) return undefined;
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`${variable} ${file} cannot be read: ${reason}`);
  }
}
