import assert from 'node:assert/strict';
import { it } from 'node:test';
import { clock } from '../../../../src/lib/clock.ts';
import { EtcdClient } from '../../../../src/lib/replica/etcd/client.ts';
import { EtcdError } from '../../../../src/lib/replica/etcd/etcd-error.ts';
import { encode } from '../../../../src/lib/replica/etcd/gateway.ts';
import { ManualTimers, openTimers } from '../../../support/clock.ts';
import { turns } from '../../../support/raw.ts';
import { type Reply, SimulatedEtcd } from '../../../system/simulation/etcd/gateway.ts';
import { ResponseStream } from '../../../system/simulation/network/response-stream.ts';

/** The time limit of a login, in milliseconds. */
const LOGIN_MS = 2_000;

const LOGIN = '/v3/auth/authenticate';

const PASSWORD = 'a b"c';

/** A client with a password, and the replies of etcd. */
function clientOf(
  reply: (path: string, body: string, token?: string) => Reply | Promise<Reply>,
  password = PASSWORD,
) {
  const connect = () => ({
    post: async (path: string, body: string, _: AbortSignal, token?: string) => {
      const { status, body: text } = await reply(path, body, token);
      const response = new ResponseStream(status);
      response.push(Buffer.from(text));
      response.end();
      return response;
    },
    close: () => {},
  });
  const user = { name: 'root', password: () => password };
  return new EtcdClient({ endpoints: ['http://etcd'], user, connect }, () => {});
}

function etcdWithUsers(): SimulatedEtcd {
  const etcd = new SimulatedEtcd();
  etcd.password = PASSWORD;
  return etcd;
}

it('a request gives up in time, although the login that it waits for goes on', async (test) => {
  new ManualTimers(test, (ms) => ms === LOGIN_MS);
  const paths: string[] = [];
  const client = clientOf((path) => {
    paths.push(path);
    return new Promise<never>(() => {});
  });
  await assert.rejects(client.range({}, { deadline: clock.now() + 20 }), {
    message: 'the login took too long',
    outcome: 'unsent',
  });
  assert.deepEqual(paths, [LOGIN]);
});

it('many requests with an expired token log in once', async () => {
  const etcd = etcdWithUsers();
  const client = clientOf((path, body, token) => etcd.handle(path, body, token));
  const read = () => client.range({ key: encode('x') });
  await read();
  etcd.token = 'second';
  await Promise.all(Array.from({ length: 20 }, read));
  await turns(10);
  assert.equal(etcd.logins, 2);
});

it('a login that breaks is repeated, however long it has taken', async (test) => {
  let now = 0;
  test.mock.method(clock, 'now', () => now);
  const etcd = etcdWithUsers();
  let isBroken = true;
  const client = clientOf((path, body, token) => {
    if (path !== LOGIN || !isBroken) return etcd.handle(path, body, token);
    isBroken = false;
    now += LOGIN_MS / 2;
    return Promise.reject(new EtcdError('unknown', 'socket hang up'));
  });
  await client.range({ key: encode('x') });
  assert.equal(etcd.logins, 1);
});

it('a request that has waited for a login leaves no timer', async (test) => {
  const timers = openTimers(test);
  const etcd = etcdWithUsers();
  const client = clientOf((path, body, token) => etcd.handle(path, body, token));
  await client.range({ key: encode('x') });
  assert.equal(timers.size, 0);
});

it('a user needs no token while authentication is off, whatever the password', async () => {
  // Words of etcd's messages, which decide the outcome.
  for (const password of [PASSWORD, 'user', 'enabled']) {
    const etcd = new SimulatedEtcd();
    const client = clientOf((path, body, token) => etcd.handle(path, body, token), password);
    for (let i = 0; i < 2; i++) await client.range({ key: encode('x') });
    assert.equal(etcd.logins, 1);
    etcd.password = password;
    await client.range({ key: encode('x') });
    assert.equal(etcd.logins, 2);
  }
});

it('an error of etcd that repeats the password is shown without it', async () => {
  const message = `etcdserver: ${PASSWORD} is not the password`;
  const body = JSON.stringify({ message, code: 3 });
  const client = clientOf(() => ({ status: 400, body }));
  await assert.rejects(client.range({}), {
    message: 'etcd answered 400: etcdserver: […] is not the password',
  });
});
