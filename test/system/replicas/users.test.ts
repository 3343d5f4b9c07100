import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { EventClient } from '../../support/events.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { create, titles } from '../../support/items.ts';
import { until } from '../../support/until.ts';
import { ensureInstalled } from './support/etcd.ts';
import { ADMIN, clusterFor, enableUsers, replicasOn } from './support/running.ts';
import { Workload } from './support/workload.ts';

ensureInstalled();

/** How long short-lived tokens are valid, in seconds. */
const TTL_S = 3;

/** How long clients run, in milliseconds. Tokens expire several times meanwhile. */
const RUN_MS = 11_000;

describe('replicas that log in to etcd', { concurrency: 2 }, () => {
  it('log in again after etcd loses their tokens', async (test) => {
    const cluster = await clusterFor(test);
    const { clients } = await replicasOn(test, cluster, await enableUsers(cluster));
    const [a, b] = clients;
    await create(a, 'first');
    // The nodes keep tokens in memory.
    for (const { program } of cluster.nodes) {
      await program.end('SIGTERM');
      program.start();
      await until('the node is back', () =>
        cluster.ctl(...ADMIN, 'endpoint', 'health').then(() => true),
      );
    }
    await create(b, 'second');
    assert.deepEqual(await titles(a), ['first', 'second']);
  });

  it('fail no request and lose no event when tokens expire', async (test) => {
    const cluster = await clusterFor(test, { args: expiringTokens() });
    const { replicas, clients } = await replicasOn(test, cluster, await enableUsers(cluster));
    const baseUrls = replicas.map(({ baseUrl }) => baseUrl);
    const streams = await Promise.all(baseUrls.map((url) => EventClient.open(url)));
    const workload = new Workload(baseUrls);
    test.after(() => workload.stop());
    workload.start();
    await sleep(RUN_MS / 2);
    // A token is checked when a watch is opened, not while it is open.
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

  it('need no restart when authentication is switched off and on', async (test) => {
    const cluster = await clusterFor(test, { size: 1 });
    const { clients, replicas } = await replicasOn(test, cluster, await enableUsers(cluster));
    const [a, b] = clients;
    await create(a, 'on');
    await cluster.ctl(...ADMIN, 'auth', 'disable');
    await create(b, 'off');
    for (const { proxy } of cluster.nodes) proxy.set('refuse');
    cluster.heal();
    await until('a follows', async () => (await titles(a)).length === 2);
    await cluster.ctl('auth', 'enable');
    await create(a, 'on again');
    assert.deepEqual(await titles(b), ['on', 'off', 'on again']);
    for (const replica of replicas) {
      assert.equal(await replica.metric('todo_store_loads_total'), 1);
    }
  });

  it('log in again after a change of another user has outdated their tokens', async (test) => {
    const cluster = await clusterFor(test, { args: expiringTokens(300) });
    const { clients } = await replicasOn(test, cluster, await enableUsers(cluster));
    const [a, b] = clients;
    await create(a, 'first');
    await cluster.ctl(...ADMIN, 'user', 'add', 'other:secret');
    await create(a, 'second');
    assert.deepEqual(await titles(b), ['first', 'second']);
    await cluster.ctl(...ADMIN, 'user', 'delete', 'other');
    for (const { proxy } of cluster.nodes) proxy.set('refuse');
    cluster.heal();
    await until('it follows again', async () => (await titles(b)).length === 2);
    await create(b, 'third');
    assert.deepEqual(await titles(a), ['first', 'second', 'third']);
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
