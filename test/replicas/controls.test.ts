import { after, before } from 'node:test';
import { describeControls } from '../lib/replica/support/controls.ts';
import { EtcdCluster, ensureInstalled } from './support/etcd.ts';

let cluster: EtcdCluster;
before(async () => {
  ensureInstalled();
  cluster = await EtcdCluster.start();
});
after(() => cluster.stop());

describeControls('three nodes of etcd', () => cluster.nodes.map(({ clientPort }) => clientPort));
