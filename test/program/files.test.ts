import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ConfigError } from '../../src/config/setting.ts';
import { configuredApp } from '../../src/configured-app.ts';
import { configuredStore } from '../../src/configured-store.ts';
import { configOf } from '../support/service.ts';

describe('a file that a setting names, if it cannot be used', () => {
  let file: string;
  before(() => {
    file = join(mkdtempSync(join(tmpdir(), 'todo-service-')), 'file');
  });
  after(() => rmSync(join(file, '..'), { recursive: true }));

  for (const [content, env, message] of [
    ['[{"title":"x"},{"title":"","priority":9}]', {}, /item at index 1 .*#\/title .*#\/priority/],
    ['nonsense', {}, /is not JSON/],
    [
      '[{"title":"x"},{"title":"y"}]',
      { MAX_ROWS: '1' },
      /there are 2 items, more than MAX_ROWS \(1\) allows/,
    ],
    ['[{"title":"x"}]'.padEnd(70_000), { MAX_BYTES: '65536' }, /70000 bytes, more than MAX_BYTES/],
    [undefined, {}, /no such file/],
  ] as const) {
    it(`has a reason: a seed, ${message}`, () => {
      if (content === undefined) rmSync(file, { force: true });
      else writeFileSync(file, content);
      assert.throws(
        () => configuredApp(configOf({ SEED_FILE: file, ...env })),
        (error) => {
          assert(error instanceof ConfigError);
          assert.match(error.message, /^the seed file .+ cannot be used: .+$/);
          assert.match(error.message, message);
          return true;
        },
      );
    });
  }

  for (const [args, names, message] of [
    [['--etcd-ca=/none'], [], /^--etcd-ca .+ cannot be read: .*no such file/],
    [[], ['ETCD_CA'], /^ETCD_CA must be a PEM certificate: /],
    [['--etcd-cert=x'], [], /^--etcd-cert needs ETCD_KEY as well$/],
    [[], ['ETCD_KEY'], /^ETCD_KEY needs ETCD_CERT as well$/],
    [['--etcd-key=x'], ['ETCD_CERT'], /^ETCD_CERT must be a PEM certificate: /],
    [['--etcd-user=me'], [], /^--etcd-user needs ETCD_PASSWORD_FILE as well$/],
  ] as const) {
    it(`has a reason, by the flag or variable given: ${message}`, async () => {
      writeFileSync(file, '{');
      const given = args.map((arg) => arg.replace(/=x$/, `=${file}`));
      const env = Object.fromEntries(names.map((name) => [name, file]));
      await assert.rejects(
        configuredStore(configOf({ STORE: 'etcd', ...env }, given), () => {}, assert.fail),
        (error) => error instanceof ConfigError && message.test(error.message),
      );
    });
  }
});
