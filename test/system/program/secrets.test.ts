import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { clientFor } from '../../support/client.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { LIST } from '../../support/paths.ts';
import { ServiceProcess } from '../../support/process.ts';

/** Longer than a quoted string, which is cut. */
const LONG = 'x7Kq9sEcReT-'.repeat(20);
const SECRET = 'x7Kq9sEcReT';

describe('no line of the process shows a secret', { concurrency: 3 }, () => {
  const folder = temporaryFolder();
  const file = join(folder, 'token');
  writeFileSync(file, `${SECRET}\n`);
  const inFile = { ADMIN_TOKEN_FILE: file };
  const ofEtcd = { STORE: 'etcd', ETCD_USER: 'me', ETCD_PASSWORD_FILE: file };

  for (const secret of [{ ADMIN_TOKEN: SECRET }, inFile, ofEtcd]) {
    for (const other of [
      { SEED_FILE: `/none/${SECRET}` },
      { SEED_FILE: file },
      { VARIANT: SECRET },
      { TZ: SECRET },
      { LISTS: `${SECRET}/` },
      { BASE_PATH: SECRET },
      { ETCD_PREFIX: SECRET },
      { HOST: `${SECRET}.invalid`, STORE: 'memory' },
      { FAULTS: JSON.stringify([{ method: SECRET, status: 200 }]), STORE: 'memory' },
    ]) {
      const names = [...Object.keys(secret), ...Object.keys(other)].join(' ');
      it(`of a start that fails: ${names}`, async (test) => {
        const env = { ...secret, ...other };
        const { status, stdout, stderr } = await new ServiceProcess(test, ['--port=0'], env).exit;
        assert.deepEqual({ status, stdout }, { status: 2, stdout: '' });
        assert.match(stderr, /^todo-service: .+\n$/);
        assert.doesNotMatch(stderr, new RegExp(SECRET, 'i'));
      });
    }
  }

  it('of a start that fails, where a long one is cut', async (test) => {
    const env = { ADMIN_TOKEN: LONG, FAULTS: JSON.stringify([{ method: LONG, status: 200 }]) };
    const { stderr } = await new ServiceProcess(test, ['--port=0'], env).exit;
    assert.match(stderr, /FAULTS is invalid: .*\[…\]/);
    assert(!stderr.includes(SECRET), stderr);
  });

  it('of a service that runs', async (test) => {
    const env = { ...inFile, ACCESS_LOG: 'on', BASE_PATH: `/${SECRET}` };
    const service = new ServiceProcess(test, ['--port=0'], env);
    const client = clientFor(test, await service.baseUrl());
    assert.equal((await client.get(`/${SECRET}${LIST}?search=a`)).status, 200);
    const { status, stdout, stderr } = await service.stop('SIGTERM');
    assert.deepEqual([status, stderr], [0, '']);
    assert(!stdout.includes(SECRET), stdout);
    assert(stdout.includes(`"target":"/[…]${LIST}?search=a"`), stdout);
  });

  it('and a short token leaves the texts of the program as they are', async (test) => {
    const service = new ServiceProcess(test, ['--port=0'], { ADMIN_TOKEN: 'i' });
    await service.baseUrl();
    const { stdout } = await service.stop('SIGTERM');
    assert.match(stdout, /"level":"info","message":"listening"/);
  });
});
