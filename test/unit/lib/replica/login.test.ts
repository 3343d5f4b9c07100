import assert from 'node:assert/strict';
import { it } from 'node:test';
import { clock } from '../../../../src/lib/clock.ts';
import { EtcdClient } from '../../../../src/lib/replica/etcd/client.ts';
import { encode } from '../../../../src/lib/replica/etcd/json.ts';
import { ManualTimers } from '../../../support/clock.ts';
import { SimulatedEtcd } from '../../../system/simulation/etcd/gateway.ts';

/** How long a login may take, in milliseconds. */
const LOGIN_MS = 2_000;

it('a request gives up in time, although the login that it waits for goes on', async (test) => {
  new ManualTimers(test, (ms) => ms === LOGIN_MS);
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
  });
  assert.deepEqual(paths, ['/v3/auth/authenticate']);
});

it('a login that is refused is the reason that is told, not the token that was', async () => {
  const etcd = new SimulatedEtcd();
  etcd.password = 'secret';
  const connect = () => ({
    post: async (path: string, body: string, _: AbortSignal, token?: string) => {
      const reply = etcd.handle(path, body, token);
      const chunks = async function* () {
        yield Buffer.from(reply.body);
      };
      return { statusCode: reply.status, [Symbol.asyncIterator]: chunks };
    },
    close: () => {},
  });
  const user = { name: 'root', password: () => 'secret' };
  const client = new EtcdClient({ endpoints: ['http://etcd'], user, connect });
  const read = () => client.range({ key: encode('x') });
  await read();
  etcd.password = 'another';
  etcd.token = 'second';
  await assert.rejects(read(), { message: /authentication failed/ });
  assert.match(client.lastFailure?.message ?? '', /authentication failed/);
  const write = client.txn({ success: [] }, { deadline: clock.now() + 5_000, atMostOnce: true });
  await assert.rejects(write, { message: /authentication failed/, outcome: 'unsent' });
});

it('an error that repeats the password or the token is shown without it', async () => {
  const user = { name: 'root', password: () => 'a b"c' };
  const connect = () => ({
    post: async (path: string, _: string, __: AbortSignal, token?: string) => {
      const isLogin = path === '/v3/auth/authenticate';
      const text = isLogin ? '{"token":"secret"}' : `${token}, a b"c`;
      const chunks = async function* () {
        yield Buffer.from(text);
      };
      return { statusCode: isLogin ? 200 : 502, [Symbol.asyncIterator]: chunks };
    },
    close: () => {},
  });
  const client = new EtcdClient({ endpoints: ['http://etcd'], user, connect });
  const write = client.txn({ success: [] }, { deadline: clock.now() + 5_000, atMostOnce: true });
  await assert.rejects(write, { message: 'etcd answered 502: …, …' });
});
