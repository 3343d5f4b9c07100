import { statSync } from 'node:fs';
import {
  type Config,
  ConfigError,
  fileContent,
  orConfigError,
  variableOf,
} from '../../lib/config/index.ts';
import { STORE_SETTINGS } from './store-settings.ts';

/** The certificates and the key that the files have at the next connection. @throws ConfigError */
export function tlsOf(config: Config) {
  requireBoth(config, 'etcdCert', 'etcdKey');
  const { etcdCa, etcdCert } = config.of(STORE_SETTINGS);
  if (etcdCa === null && etcdCert === null) return undefined;
  // Loaded for etcd only, because that takes as long as a tenth of the start.
  const { createPrivateKey, X509Certificate } = process.getBuiltinModule('node:crypto');
  const { createSecureContext } = process.getBuiltinModule('node:tls');
  const pemOf = (name: SecretFile, what: string, parse: (pem: string) => unknown) => {
    const read = readerOf(config, name);
    return () => {
      const pem = read?.();
      if (pem === undefined) return undefined;
      // Checked here, because a connection could not say which file is invalid.
      orConfigError(`${config.nameOf(name)} must be a PEM ${what}`, () => parse(pem));
      return pem;
    };
  };
  const ca = pemOf('etcdCa', 'certificate', (pem) => new X509Certificate(pem));
  const cert = pemOf('etcdCert', 'certificate', (pem) => new X509Certificate(pem));
  const key = pemOf('etcdKey', 'key', createPrivateKey);
  const rule = `${config.nameOf('etcdKey')} must be the key of ${config.nameOf('etcdCert')}`;
  return renewed(() => {
    const files = { ca: ca(), cert: cert(), key: key() };
    return orConfigError(rule, () => createSecureContext(files));
  });
}

/** The user, and the password for the next login. @throws ConfigError */
export function userOf(config: Config) {
  requireBoth(config, 'etcdUser', 'etcdPasswordFile');
  const { etcdUser: name } = config.of(STORE_SETTINGS);
  const read = readerOf(config, 'etcdPasswordFile');
  return name === null || read === undefined ? undefined : { name, password: renewed(read) };
}

type SecretFile = 'etcdCa' | 'etcdCert' | 'etcdKey' | 'etcdPasswordFile';

/** Reads a file anew each time, except a pipe, which gives its content only once. */
function readerOf(config: Config, name: SecretFile): (() => string) | undefined {
  const { [name]: file } = config.of(STORE_SETTINGS);
  if (file === null) return undefined;
  let ofPipe: string | undefined;
  return () => {
    const content = ofPipe ?? fileContent(config.nameOf(name), file);
    if (statSync(file, { throwIfNoEntry: false })?.isFile() === false) ofPipe = content;
    return content;
  };
}

/** What can be read now, else what could be last: files may be just being written, or replaced. */
function renewed<T>(read: () => T): () => T {
  let last = read();
  return () => {
    try {
      last = read();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
    }
    return last;
  };
}

/** Requires that settings are given together. @throws ConfigError */
function requireBoth(config: Config, ...names: readonly (keyof typeof STORE_SETTINGS)[]): void {
  const given = names.find((name) => config.isGiven(name));
  const missing = names.find((name) => !config.isGiven(name));
  if (given === undefined || missing === undefined) return;
  throw new ConfigError(`${config.nameOf(given)} needs ${variableOf(missing)} as well`);
}
