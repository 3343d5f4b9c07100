import { statSync } from 'node:fs';
import {
  type Config,
  ConfigError,
  fileContent,
  orConfigError,
  variableOf,
} from '../../lib/config/index.ts';
import { STORE_SETTINGS } from './store-settings.ts';

/**
 * The certificates and the key for the next connection: whatever their files have then, as long as
 * it fits together. @throws ConfigError if it does not at the start
 */
export function tlsOf(config: Config) {
  requireBoth(config, 'etcdCert', 'etcdKey');
  const { etcdCa, etcdCert } = config.of(STORE_SETTINGS);
  if (etcdCa === null && etcdCert === null) return undefined;
  // Loaded for etcd only, because that takes as long as a tenth of the start.
  const { createPrivateKey, X509Certificate } = process.getBuiltinModule('node:crypto');
  const { createSecureContext } = process.getBuiltinModule('node:tls');
  const content = fileReader(config);
  const read = (name: SecretFile, what: string, parse: (pem: string) => unknown) => {
    const pem = content(name);
    if (pem === undefined) return undefined;
    // Checked here, because a connection could not say which file is invalid.
    orConfigError(`${config.nameOf(name)} must be a PEM ${what}`, () => parse(pem));
    return pem;
  };
  return renewed(() => {
    const ca = read('etcdCa', 'certificate', (pem) => new X509Certificate(pem));
    const cert = read('etcdCert', 'certificate', (pem) => new X509Certificate(pem));
    const key = read('etcdKey', 'key', createPrivateKey);
    const rule = `${config.nameOf('etcdKey')} must be the key of ${config.nameOf('etcdCert')}`;
    return orConfigError(rule, () => createSecureContext({ ca, cert, key }));
  });
}

/** The user, and the password for the next login. @throws ConfigError */
export function userOf(config: Config) {
  const { etcdUser } = config.of(STORE_SETTINGS);
  requireBoth(config, 'etcdUser', 'etcdPasswordFile');
  if (etcdUser === null) return undefined;
  const content = fileReader(config);
  const password = () => {
    const text = content('etcdPasswordFile');
    if (text === undefined) throw new TypeError('a user has a password');
    return text;
  };
  return { name: etcdUser, password: renewed(password) };
}

type SecretFile = 'etcdCa' | 'etcdCert' | 'etcdKey' | 'etcdPasswordFile';

/** Reads files of settings anew each time, except pipes, which give their content only once. */
function fileReader(config: Config): (name: SecretFile) => string | undefined {
  const ofPipes = new Map<string, string>();
  return (name) => {
    const { [name]: file } = config.of(STORE_SETTINGS);
    if (file === null) return undefined;
    const content = ofPipes.get(name) ?? fileContent(config.nameOf(name), file);
    if (statSync(file, { throwIfNoEntry: false })?.isFile() === false) ofPipes.set(name, content);
    return content;
  };
}

/**
 * What can be read now, else what could be read last: files may be replaced one after the other, or
 * are just being written. @throws ConfigError if it cannot be read at the start
 */
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
