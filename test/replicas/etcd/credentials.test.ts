import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { EventClient } from '../../support/events.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { create, titles } from '../../support/items.ts';
import { until } from '../../support/until.ts';
import { certificates } from './support/certificates.ts';
import { ensureInstalled } from './support/etcd.ts';
import { ADMIN, clusterFor, enableUsers, replicasOn, startReplica } from './support/running.ts';
import { Workload } from './support/workload.ts';

ensureInstalled();

/** The time within which a replica serves again after a renewal, in milliseconds. */
const BACK_MS = 6_000;

/** The pause between two files, in milliseconds: long enough for many connections. */
const BETWEEN_MS = 1_500;

/** The validity of short-lived tokens, in seconds. */
const TTL_S = 3;

/** The time for which clients run, in milliseconds. Tokens expire several times meanwhile. */
const RUN_MS = 11_000;

/** A node of etcd that requires certificates, and the files that its replicas use. */
async function secureCluster(test: TestContext, days?: number) {
  const used = temporaryFolder();
  certificates(used, days);
  const file = (name: string) => join(used, name);
  copyFileSync(file('ca.pem'), file('ca-of-etcd.pem'));
  const cluster = await clusterFor(test, {
    ...{ scheme: 'https', size: 1 },
    args: [
      ...['--cert-file', file('server.pem'), '--key-file', file('server.key')],
      ...['--trusted-ca-file', file('ca-of-etcd.pem'), '--client-cert-auth'],
    ],
  });
  const env = {
    ...{ ETCD_CA: file('ca.pem'), ETCD_CERT: file('client.pem') },
    ETCD_KEY: file('client.key'),
  };
  /** Lets etcd trust another authority after a restart; returns a function that renews a file. */
  const renew = async () => {
    const made = temporaryFolder();
    certificates(made);
    const give = (name: string) => copyFileSync(join(made, name), file(name));
    copyFileSync(join(made, 'ca.pem'), file('ca-of-etcd.pem'));
    for (const name of ['server.pem', 'server.key']) give(name);
    return give;
  };
  return { cluster, env, renew };
}

describe('credentials that are replaced in their files', { concurrency: 2 }, () => {
  const orders = [
    ['client.key', 'client.pem', 'ca.pem'],
    ['ca.pem', 'client.pem', 'client.key'],
  ];
  for (const order of orders) {
    it(`are used from the next connection on: ${order.join(', ')}`, async (test) => {
      const { cluster, env, renew } = await secureCluster(test);
      const { replicas, clients } = await replicasOn(test, cluster, env);
      const [a, b] = clients;
      await create(a, 'first');
      const give = await renew();
      for (const name of order) {
        // While the files do not fit together, replicas reach etcd with the previous ones.
        for (const { proxy } of cluster.nodes) proxy.set('refuse');
        cluster.heal();
        await sleep(BETWEEN_MS);
        give(name);
      }
      const [node] = cluster.nodes;
      await node?.program.end('SIGTERM');
      node?.program.start();
      await Promise.all(replicas.map((replica) => replica.ready(BACK_MS + 1_000)));
      await create(a, 'second');
      assert.deepEqual(await titles(b), ['first', 'second']);
    });
  }

  it('are missed by name, and used as soon as they are there', async (test) => {
    const { cluster, env, renew } = await secureCluster(test, -1);
    // They have expired, which only etcd has to report.
    const replica = await startReplica(test, cluster, env);
    const reasonOf = async () => (await fetch(`${replica.baseUrl}/readyz`)).text();
    const isNamed = (text = '') => /bad certificate|certificate expired/.test(text);
    await until('the reason is named', async () => isNamed(await reasonOf()));
    const give = await renew();
    const [node] = cluster.nodes;
    await node?.program.end('SIGTERM');
    for (const name of ['client.pem', 'ca.pem']) give(name);
    node?.program.start();
    await sleep(BETWEEN_MS);
    assert.equal(await replica.isReady(), false);
    give('client.key');
    await replica.ready(BACK_MS);
  });

  it('are a password as well', async (test) => {
    const cluster = await clusterFor(test, { size: 1 });
    const env = await enableUsers(cluster);
    const { replicas, clients } = await replicasOn(test, cluster, env);
    await create(clients[0], 'first');
    await cluster.ctl(...ADMIN, 'user', 'delete', 'todo');
    await cluster.ctl(...ADMIN, 'user', 'add', 'todo:another');
    await cluster.ctl(...ADMIN, 'user', 'grant-role', 'todo', 'todo');
    for (const { baseUrl } of replicas) {
      await until('the login is refused', async () => {
        const answer = await fetch(`${baseUrl}/readyz`);
        return (await answer.text()).includes('authentication failed');
      });
    }
    writeFileSync(String(env.ETCD_PASSWORD_FILE), 'another\n');
    await Promise.all(replicas.map((replica) => replica.ready(BACK_MS)));
    await create(clients[1], 'second');
    assert.deepEqual(await titles(clients[0]), ['first', 'second']);
  });
});

describe('replicas that log in to etcd', { concurrency: 2 }, () => {
  it('fail no request and lose no event when tokens expire', async (test) => {
    const cluster = await clusterFor(test, { args: expiringTokens() });
    const { replicas, clients } = await replicasOn(test, cluster, await enableUsers(cluster));
    const baseUrls = replicas.map(({ baseUrl }) => baseUrl);
    const streams = await Promise.all(baseUrls.map((url) => EventClient.open(url)));
    const workload = new Workload(baseUrls);
    test.after(() => workload.stop());
    workload.start();
    await sleep(RUN_MS / 2);
    for (const { proxy } of cluster.nodes) proxy.set('refuse');
    cluster.heal();
    await sleep(RUN_MS / 2);
    const { counts, refusals } = workload;
    await workload.finish();
    test.diagnostic(JSON.stringify(counts));
    assert.deepEqual([...refusals], []);
    for (const replica of replicas) {
      assert((await replica.metric('todo_store_retries_total')) >= RUN_MS / 1_000 / TTL_S - 1);
      assert.equal(await replica.metric('todo_store_loads_total'), 1);
    }
    const last = `last of ${counts.done}`;
    await create(clients[0], last);
    for (const stream of streams) {
      let { event, data, id } = await stream.next();
      assert.equal(event, 'ready');
      const created = new Set<number>();
      while (!data.includes(`"${last}"`)) {
        ({ event, data, id } = await stream.next());
        assert.equal(event, 'put');
        created.add(JSON.parse(data).id);
      }
      assert(id);
      assert.equal(created.size, (await titles(clients[1])).length);
      stream.close();
    }
  });

  it('need no restart when users change, or authentication is switched off and on', async (test) => {
    const cluster = await clusterFor(test, { size: 1, args: expiringTokens(300) });
    const { clients, replicas } = await replicasOn(test, cluster, await enableUsers(cluster));
    const [a, b] = clients;
    // A token is checked when a watch is opened, not while it is open.
    const breakWatches = () => {
      for (const { proxy } of cluster.nodes) proxy.set('refuse');
      cluster.heal();
    };
    await create(a, 'on');
    // Outdates all tokens.
    await cluster.ctl(...ADMIN, 'user', 'add', 'other:secret');
    await create(a, 'other user');
    await cluster.ctl(...ADMIN, 'user', 'delete', 'other');
    breakWatches();
    await until('b follows', async () => (await titles(b)).length === 2);
    await cluster.ctl(...ADMIN, 'auth', 'disable');
    await create(b, 'off');
    breakWatches();
    await until('a follows', async () => (await titles(a)).length === 3);
    await cluster.ctl('auth', 'enable');
    await create(a, 'on again');
    assert.deepEqual(await titles(b), ['on', 'other user', 'off', 'on again']);
    for (const replica of replicas) {
      assert.equal(await replica.metric('todo_store_loads_total'), 1);
    }
  });
});

/** The arguments with which etcd issues JSON Web Tokens (RFC 7519), which expire. */
function expiringTokens(ttlS = TTL_S): string[] {
  const directory = temporaryFolder();
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  const file = (name: string, content: string) => {
    writeFileSync(join(directory, name), content);
    return join(directory, name);
  };
  const keys = `pub-key=${file('public', publicKey)},priv-key=${file('private', privateKey)}`;
  return [`--auth-token=jwt,${keys},sign-method=RS256,ttl=${ttlS}s`];
}
