import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readInputFile } from '../../../src/lib/config/input-file.ts';
import { ConfigError } from '../../../src/lib/config/setting.ts';
import { configuredApp } from '../../../src/service/app.ts';
import { configuredStore } from '../../../src/service/replicas/configured-store.ts';
import { ITEM_SETTINGS } from '../../../src/service/settings/settings.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { missing } from '../../support/programs.ts';
import { configOf } from '../../support/service.ts';

describe('a file that a setting names, if it cannot be used', () => {
  const folder = temporaryFolder();
  const file = join(folder, 'file');

  it('has a reason: a seed that is larger than an eighth of MAX_BYTES', async () => {
    writeFileSync(file, '[{"title":"x"}]'.padEnd(9_000));
    const config = configOf({ SEED_FILE: file, MAX_BYTES: '65536' });
    const message = /it has 9000 bytes, more than an eighth of MAX_BYTES \(65536\)$/;
    await assert.rejects(configuredApp(config), { name: 'ConfigError', message });
  });

  // As an engine makes of a file that is not there, where it is to be mounted.
  it('has a reason: a seed that is a directory', async () => {
    const config = configOf({ SEED_FILE: folder });
    await assert.rejects(configuredApp(config), /cannot be used: EISDIR: .+ on a directory$/);
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

describe('a file that a setting names', () => {
  it('may be a pipe whose command takes a while, if it is a secret', {
    skip: missing('bash'),
  }, () => {
    const env = `ADMIN_TOKEN_FILE=<(sleep 0.1; echo 'not a token')`;
    const script = `${env} ${process.execPath} dist/main.js --port=0`;
    const { status, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
    assert.match(stderr, /^todo-service: ADMIN_TOKEN_FILE must name a file that has only .+\n$/);
    assert.equal(status, 2);
  });

  it('is refused if it is longer than any value of the setting', {
    skip: !existsSync('/dev/zero') && 'there is no endless file',
  }, () => {
    assert.throws(() => readInputFile('/dev/zero', 100_000), /more than 100000 bytes/);
  });
});
