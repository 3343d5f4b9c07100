import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { Client } from '../../../support/client.ts';
import { freePorts } from '../../../support/ports.ts';
import type { EtcdCluster } from './etcd.ts';
import { Intermediary } from './intermediary.ts';
import { ReplicaProcess } from './replica.ts';
import { clusterFor } from './running.ts';

/** A replica that reaches etcd through an intermediary. */
export interface Behind {
  readonly cluster: EtcdCluster;
  readonly intermediary: Intermediary;
  readonly replica: ReplicaProcess;
  readonly client: Client;
  /** Starts another replica, which reaches etcd directly. */
  readonly another: () => Promise<Client>;
}

/** Starts a replica with an intermediary before one node of etcd. */
export async function behind(test: TestContext, env: NodeJS.ProcessEnv = {}): Promise<Behind> {
  const cluster = await clusterFor(test, { size: 1 });
  const port = cluster.nodes[0]?.clientPort ?? 0;
  const intermediary = new Intermediary(port);
  test.after(() => intermediary.close());
  const start = async (endpoint: string) => {
    const [ownPort = 0] = await freePorts(1);
    const logFile = join(cluster.directory, `replica-${ownPort}.log`);
    const settings = { ETCD_ENDPOINTS: endpoint, ADMIN_TOKEN: 'secret', ...env };
    const replica = new ReplicaProcess(ownPort, logFile, settings);
    replica.program.start();
    test.after(() => replica.program.end());
    const client = new Client(replica.baseUrl);
    test.after(() => client.close());
    return { replica, client };
  };
  const { replica, client } = await start(await intermediary.listen());
  return {
    ...{ cluster, intermediary, replica, client },
    another: async () => {
      const other = await start(`http://127.0.0.1:${port}`);
      await other.replica.ready(120_000);
      return other.client;
    },
  };
}

/** Whether a request is a transaction that writes. */
export const isCommit = (path: string, body: string) =>
  path === '/v3/kv/txn' && body.includes('"request_put"');

/** The titles as etcd has them, whatever replicas say. */
export async function storedTitles(cluster: EtcdCluster): Promise<string[]> {
  const text = await cluster.ctl('get', '/todo-service/row/', '--prefix', '--print-value-only');
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line).title]));
}
