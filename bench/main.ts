/*
 * Measures everything that bench/README.md shows, and prints its tables. README.md explains them.
 *
 *     node bench/main.ts --write                        # all parts, into bench/README.md
 *     node bench/main.ts --only requests --kinds get    # one part
 */
import { parseArgs } from 'node:util';
import { journal } from './http/journal.ts';
import { rates } from './http/rates.ts';
import { type Kind, TITLES } from './http/requests.ts';
import { starts } from './http/start.ts';
import { buildOf, buildThis, versionOf } from './lib/commit.ts';
import { pinSelf } from './lib/cores.ts';
import { machine, writeReport } from './lib/report.ts';
import { lists } from './load/lists.ts';
import { newcomers } from './load/newcomers.ts';
import { turns } from './load/turns.ts';
import { replicas } from './replicas.ts';
import { tableReport } from './table/table.ts';

const { values: options } = parseArgs({
  options: {
    /** The parts to measure, separated by commas. */
    only: { type: 'string' },
    /** The kinds of request. */
    kinds: { type: 'string', default: Object.keys(TITLES).join() },
    /** Earlier versions: tags or commits of this repository, each with a name. */
    against: { type: 'string', default: '4.1=fe2b113b,3.0=22cffa2c' },
    rounds: { type: 'string', default: '20' },
    /** How long a measurement of requests takes. */
    seconds: { type: 'string', default: '0.4' },
    /** The sizes of tables, in rows. */
    sizes: { type: 'string', default: '1000,10000,100000' },
    /** A part of the names of the table's operations. */
    operations: { type: 'string', default: '' },
    /** How long a measurement of the table takes, in milliseconds. */
    ms: { type: 'string', default: '60' },
    /** Replaces the tables of bench/README.md. */
    write: { type: 'boolean', default: false },
  },
});

const rounds = Number(options.rounds);
const seconds = Number(options.seconds);
/** Parts whose measurements take seconds have fewer rounds. */
const fewRounds = Math.ceil(rounds / 7);
const kinds = Object.keys(TITLES).filter((kind): kind is Kind =>
  options.kinds.split(',').includes(kind),
);

const versions = options.against.split(',').filter(Boolean).map(versionOf);
const builds = () => versions.map((version) => ({ ...version, dist: buildOf(version) }));

/** The numbers of rows with which turns are measured. */
const TURN_SIZES = [100_000, 400_000, 1_000_000];

/** The parts by name, each with its heading. */
const PARTS: Readonly<Record<string, readonly [heading: string, measure: () => Promise<string>]>> =
  {
    requests: ['Requests', () => rates({ kinds, rounds, seconds, builds: builds() })],
    journal: ['The journal', () => journal({ rounds, seconds, builds: builds() })],
    start: ['Start and memory', () => starts(3 * fewRounds, builds())],
    newcomers: ['New connections under load', () => newcomers(3, builds())],
    lists: ['Resets and lists', () => lists(fewRounds, builds())],
    table: [
      'The table engine',
      () =>
        tableReport({
          versions,
          sizes: options.sizes.split(',').map(Number),
          rounds: fewRounds,
          ms: Number(options.ms),
          only: options.operations,
        }),
    ],
    turns: ['Turns of the event loop', () => turns(TURN_SIZES, fewRounds)],
    replicas: ['Replicas', () => replicas(fewRounds, 2, builds())],
  };

pinSelf();
buildThis();
const wanted = options.only?.split(',') ?? Object.keys(PARTS);
const report = [machine(rounds, seconds)];
for (const [name, [heading, measure]] of Object.entries(PARTS)) {
  if (wanted.includes(name)) report.push(`### ${heading}`, await measure());
}
process.stdout.write(`${report.join('\n\n')}\n`);
if (options.write) writeReport(report.join('\n\n'));
