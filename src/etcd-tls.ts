import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import type { Config } from './config/config.ts';
import { fileContent } from './config/file-content.ts';
import { orConfigError } from './config/setting.ts';
import { ETCD_SETTINGS } from './etcd-settings.ts';
import type { TlsSettings } from './replica/etcd/transport.ts';

/**
 * Reads the certificates for etcd and their key. They are checked here, because the first
 * connection could no longer say which file is invalid.
 * @throws ConfigError
 */
export function etcdTls(config: Config): TlsSettings {
  const { etcdCa, etcdCert, etcdKey } = config.of(ETCD_SETTINGS);
  const [ca, cert, key] = [
    config.nameOf(ETCD_SETTINGS.etcdCa),
    config.nameOf(ETCD_SETTINGS.etcdCert),
    config.nameOf(ETCD_SETTINGS.etcdKey),
  ];
  const content = (setting: string, file: string | null) =>
    file === null ? undefined : fileContent(setting, file);
  const tls = {
    ca: content(ca, etcdCa),
    cert: content(cert, etcdCert),
    key: content(key, etcdKey),
  };
  check(`${ca} must be a PEM certificate`, tls.ca, (pem) => new X509Certificate(pem));
  check(`${cert} must be a PEM certificate`, tls.cert, (pem) => new X509Certificate(pem));
  check(`${key} must be a PEM key`, tls.key, createPrivateKey);
  check(`${key} must be the key of ${cert}`, tls.cert, () => createSecureContext(tls));
  return tls;
}

/** @throws ConfigError with the rule and the reason if a text cannot be parsed */
function check(rule: string, text: string | undefined, parse: (text: string) => unknown): void {
  if (text !== undefined) orConfigError(rule, () => parse(text));
}
