import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { clientFor } from '../../../support/client.ts';
import { freePorts } from '../../../support/ports.ts';
import { type ClusterOptions, EtcdCluster } from './etcd.ts';
import { ReplicaProcess, startReplicas } from './replica.ts';

/** Starts a cluster that stops when its test ends. */
export async function clusterFor(
  test: TestContext,
  options: ClusterOptions = {},
): Promise<EtcdCluster> {
  const cluster = await EtcdCluster.start(options);
  test.after(() => cluster.stop());
  return cluster;
}

/** Starts two replicas, which stop when their test ends, and a client of each. */
export async function replicasOn(
  test: TestContext,
  cluster: EtcdCluster,
  env: NodeJS.ProcessEnv = {},
) {
  const replicas = await startReplicas(cluster, 2, env);
  test.after(() => Promise.all(replicas.map(({ program }) => program.end())));
  const [a, b] = replicas.map(({ baseUrl }) => clientFor(test, baseUrl));
  assert(a && b);
  return { replicas, clients: [a, b] as const };
}

/** Starts a replica that may not become ready, and stops when its test ends. */
export async function startReplica(test: TestContext, cluster: EtcdCluster, env = {}) {
  const [port = 0] = await freePorts(1);
  const settings = { ETCD_ENDPOINTS: cluster.endpoints, ...env };
  const replica = new ReplicaProcess(port, join(cluster.directory, `${port}.log`), settings);
  replica.program.start();
  test.after(() => replica.program.end());
  return replica;
}

/** Makes a command that of root. */
export const ADMIN = ['--user', 'root:secret'];

/** Enables authentication, and returns the settings of a user with access to one prefix. */
export async function enableUsers(cluster: EtcdCluster): Promise<NodeJS.ProcessEnv> {
  await cluster.ctl('user', 'add', 'root:secret');
  await cluster.ctl('user', 'grant-role', 'root', 'root').catch(async () => {
    await cluster.ctl('role', 'add', 'root');
    await cluster.ctl('user', 'grant-role', 'root', 'root');
  });
  await cluster.ctl('role', 'add', 'todo');
  await cluster.ctl(
    ...['role', 'grant-permission', 'todo', '--prefix=true', 'readwrite', '/todo/'],
  );
  await cluster.ctl('user', 'add', 'todo:a b"c');
  await cluster.ctl('user', 'grant-role', 'todo', 'todo');
  await cluster.ctl('auth', 'enable');
  const passwordFile = join(cluster.directory, 'password');
  writeFileSync(passwordFile, 'a b"c\n');
  return { ETCD_USER: 'todo', ETCD_PASSWORD_FILE: passwordFile, ETCD_PREFIX: '/todo/' };
}
