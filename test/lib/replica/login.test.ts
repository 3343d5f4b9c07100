import assert from 'node:assert/strict';
import { it } from 'node:test';
import { clock } from '../../../src/lib/clock.ts';
import { EtcdClient } from '../../../src/lib/replica/etcd/client.ts';
import { HeldTimers } from '../../support/clock.ts';

/** How long a login may take, in milliseconds. */
const LOGIN_MS = 2_000;

it('a request gives up in time, although the login that it waits for goes on', async (test) => {
  new HeldTimers(test, (ms) => ms === LOGIN_MS);
  const paths: string[] = [];
  const connect = () => ({
    post: (path: string) => {
      paths.push(path);
      return new Promise<never>(() => {});
    },
    close: () => {},
  });
  const user = { name: 'root', password: () => 'secret' };
  const client = new EtcdClient({ endpoints: ['http://etcd'], user, connect });
  await assert.rejects(client.range({}, { deadline: clock.now() + 20 }), {
    message: 'the login took too long',
    outcome: 'unsent',
    kind: 'login',
  });
  assert.deepEqual(paths, ['/v3/auth/authenticate']);
});
