import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { clientFor } from '../../support/client.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { LIST } from '../../support/paths.ts';
import { ServiceProcess } from '../../support/process.ts';

const SECRET = 'x7Kq9sEcReT';

describe('the secret of a setting', { concurrency: 3 }, () => {
  const folder = temporaryFolder();
  const file = join(folder, SECRET);
  writeFileSync(file, 'not a token\n');
  const ofEtcd = { STORE: 'etcd', ETCD_USER: 'me' };

  for (const [env, message] of [
    [{ ADMIN_TOKEN: `${SECRET} ` }, /^ADMIN_TOKEN must be letters, [^"]+$/],
    [{ ADMIN_TOKEN_FILE: SECRET }, /^ADMIN_TOKEN_FILE cannot be read: ENOENT: no such file or dir/],
    [{ ADMIN_TOKEN_FILE: file }, /^ADMIN_TOKEN_FILE must name a file that has only letters/],
    [{ ...ofEtcd, ETCD_PASSWORD_FILE: SECRET }, /^ETCD_PASSWORD_FILE cannot be read: ENOENT: no s/],
    [{ STORE: 'etcd', ETCD_CA: `${file}/x` }, /^ETCD_CA cannot be read: ENOTDIR: not a directory$/],
    [{ ETCD_ENDPOINTS: `http://me:${SECRET}@etcd` }, /^ETCD_ENDPOINTS must be http or https URLs/],
    [{ HOST: `http://me:${SECRET}@host` }, /^HOST must be a host name, an IP address or \*$/],
    [
      { SEED_FILE: `http://me:${SECRET}@host` },
      /^the seed file cannot be used: it cannot be read: E/,
    ],
    [
      { RESOURCE: `http://me:${SECRET}@host` },
      /^the resource cannot be used: it cannot be read: E/,
    ],
    [
      { FAULTS: `[{"requestHeaders": "${SECRET}"}]` },
      /^FAULTS is invalid: .+#\/0\/requestHeaders mu/,
    ],
  ] as const) {
    it(`is not in the line of a start that fails: ${Object.keys(env).join(' ')}`, async (test) => {
      const { status, stdout, stderr } = await new ServiceProcess(test, ['--port=0'], env).exit;
      assert.deepEqual({ status, stdout }, { status: 2, stdout: '' });
      assert.match(stderr.replace('todo-service: ', '').trim(), message);
      assert(!stderr.includes(SECRET), stderr);
    });
  }

  for (const token of ['admin', 'l']) {
    it(`does not change a line that has the same text: ${token}`, async (test) => {
      const env = { ADMIN_TOKEN: token, ACCESS_LOG: 'on', HOST: 'localhost' };
      const service = new ServiceProcess(test, ['--port=0'], env);
      const client = clientFor(test, await service.baseUrl());
      const headers = { authorization: `Bearer ${token}` };
      for (const path of ['/admin/faults', LIST]) await client.request('GET', path, { headers });
      const { stdout } = await service.stop('SIGTERM');
      const [listening, ...requests] = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      const settings = { HOST: undefined, ADMIN_TOKEN: 'set', PORT: '0', ACCESS_LOG: 'on' };
      const { address } = listening;
      assert.deepEqual(
        { HOST: undefined, ...listening.settings, address },
        { ...settings, address: 'localhost' },
      );
      assert.deepEqual(
        requests.slice(0, 2).map(({ target, route }) => [target, route]),
        ['/admin/faults', LIST].map((path) => [path, path]),
      );
    });
  }
});
