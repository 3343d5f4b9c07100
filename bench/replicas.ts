/*
 * Measures what several replicas on etcd cost and gain. Everything runs on this machine: three
 * nodes of etcd with their data on disk, up to three replicas, and the clients.
 */
import { parseArgs } from 'node:util';
import { EtcdCluster, ensureInstalled } from '../test/system/replicas/support/etcd.ts';
import { machine, progress, publish, table } from './lib/report.ts';
import { costs } from './replicas/costs.ts';
import { outages } from './replicas/outages.ts';
import { rates } from './replicas/rates.ts';
import { starts } from './replicas/starts.ts';

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '3' },
    /** The number of rows that a replica starts with. */
    rows: { type: 'string', default: '100000' },
    /** A sentence about other load on the machine, for the report. */
    note: { type: 'string' },
    /** A file to insert the report into as well. */
    into: { type: 'string' },
  },
});

ensureInstalled();
const cluster = await EtcdCluster.start();
try {
  const report = [machine(), ...(options.note ? [options.note] : [])];
  progress('rates');
  report.push(
    table(
      [
        ...['replicas, clients of each', 'reads/s', 'p99', 'creates/s', 'p99'],
        ...['creates to puts of etcd', 'slowest to fastest writer'],
      ],
      await rates(cluster, Number(options.seconds)),
    ),
  );
  progress('costs');
  report.push(
    table(['', 'reads/s', 'requests/s to etcd', 'processors of etcd'], await costs(cluster)),
  );
  progress('outages');
  report.push(table(['after', 'no write for'], await outages(cluster)));
  progress('starts');
  report.push(
    table(
      ['rows', 'ready after', 'resident memory', 'stored by etcd'],
      await starts(cluster, Number(options.rows)),
    ),
  );
  publish('replicas', report.join('\n\n'), options.into);
} finally {
  await cluster.stop();
}
