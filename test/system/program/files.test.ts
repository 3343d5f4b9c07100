import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { rootCertificates } from 'node:tls';
import { ConfigError, fileContent } from '../../../src/lib/config/setting.ts';
import { configuredStore } from '../../../src/replicas/configured-store.ts';
import { configuredApp } from '../../../src/service/app.ts';
import { ITEM_SETTINGS } from '../../../src/service/settings/service-settings.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { configOf } from '../../support/service.ts';

describe('a file that a setting names, if it cannot be used', () => {
  const folder = temporaryFolder();
  const file = join(folder, 'file');

  it('has a reason: a seed that is larger than an eighth of MAX_BYTES', async () => {
    writeFileSync(file, '[{"title":"x"}]'.padEnd(9_000));
    const config = configOf({ SEED_FILE: file, MAX_BYTES: '65536' });
    const message = /it has 9000 bytes, more than an eighth of MAX_BYTES \(65536\)$/;
    await assert.rejects(configuredApp(config), { name: 'InvalidInputError', message });
  });

  // As an engine makes of a file that is not there, where it is to be mounted.
  it('has a reason: a seed that is a directory', async () => {
    const config = configOf({ SEED_FILE: folder });
    await assert.rejects(configuredApp(config), /cannot be used: it is not a file$/);
  });

  for (const [args, names, message] of [
    [['--etcd-ca=/none'], [], /^--etcd-ca cannot be read: ENOENT: no such file or directory$/],
    [[], ['ETCD_CA'], /^ETCD_CA must be a PEM certificate: /],
    [['--etcd-cert=x'], [], /^--etcd-cert needs ETCD_KEY as well$/],
    [[], ['ETCD_KEY'], /^ETCD_KEY needs ETCD_CERT as well$/],
    [['--etcd-key=x'], ['ETCD_CERT'], /^ETCD_CERT must be a PEM certificate: /],
    [['--etcd-user=me'], [], /^--etcd-user needs ETCD_PASSWORD_FILE as well$/],
  ] as const) {
    it(`has a reason, by the flag or variable given: ${message}`, () => {
      writeFileSync(file, '{');
      const given = args.map((arg) => arg.replace(/=x$/, `=${file}`));
      const env = Object.fromEntries(names.map((name) => [name, file]));
      const config = configOf({ STORE: 'etcd', ...env }, given);
      assert.throws(
        () => configuredStore(config, config.of(ITEM_SETTINGS), () => {}, assert.fail),
        (error) => error instanceof ConfigError && message.test(error.message),
      );
    });
  }
});

it('a key of etcd that is encrypted has a reason', () => {
  const { privateKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' },
  });
  const folder = temporaryFolder();
  const [cert, key] = [join(folder, 'cert'), join(folder, 'key')];
  writeFileSync(cert, rootCertificates[0] ?? '');
  writeFileSync(key, privateKey);
  const config = configOf({ STORE: 'etcd', ETCD_CERT: cert, ETCD_KEY: key });
  assert.throws(() => configuredStore(config, config.of(ITEM_SETTINGS), () => {}, assert.fail), {
    message: /^ETCD_KEY must be the unencrypted PEM key of ETCD_CERT: /,
  });
});

describe('a file that a setting names', () => {
  it('must be a file, not a pipe or a device', {
    skip: !existsSync('/dev/zero') && 'there are no devices',
  }, () => {
    const message = 'ADMIN_TOKEN_FILE cannot be read: it is not a file';
    for (const file of ['/dev/zero', '/dev/null', temporaryFolder()]) {
      assert.throws(() => fileContent('ADMIN_TOKEN_FILE', file), { message });
    }
  });

  it('is refused if it is longer than any value of the setting', () => {
    const file = join(temporaryFolder(), 'long');
    for (const [bytes, isRead] of [
      [1_048_576, true],
      [1_048_577, false],
    ] as const) {
      writeFileSync(file, 'x'.repeat(bytes));
      const read = () => fileContent('X', file);
      if (isRead) assert.equal(read().length, bytes);
      else assert.throws(read, { message: 'X cannot be read: it has more than 1048576 bytes' });
    }
  });
});
