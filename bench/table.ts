/* Compares the table engine with an earlier version and with SQLite, and prints the table. */
import { parseArgs } from 'node:util';
import { versionOf } from './lib/commit.ts';
import { tableReport } from './table/table.ts';

const { values: options } = parseArgs({
  options: {
    against: { type: 'string', default: '3.0=22cffa2c' },
    sizes: { type: 'string', default: '1000,10000,100000' },
    rounds: { type: 'string', default: '5' },
    ms: { type: 'string', default: '100' },
    only: { type: 'string', default: '' },
  },
});

const report = await tableReport({
  versions: options.against.split(',').filter(Boolean).map(versionOf),
  sizes: options.sizes.split(',').map(Number),
  rounds: Number(options.rounds),
  ms: Number(options.ms),
  only: options.only,
});
process.stdout.write(`${report}\n`);
