/*
 * Compares the service with bare node:http, and with the same API on other frameworks. README.md
 * explains what is compared, and why in this way.
 */
import { parseArgs } from 'node:util';
import { footprints } from './http/footprint.ts';
import { growth } from './http/growth.ts';
import { latencies } from './http/latency.ts';
import { memories } from './http/memory.ts';
import { mixedWork } from './http/mixed.ts';
import { observed } from './http/observed.ts';
import { RATE_KINDS, rates } from './http/rates.ts';
import { starts } from './http/start.ts';
import { streams } from './http/streams.ts';
import { turns } from './http/turns.ts';
import { unchanged } from './http/unchanged.ts';
import { pinSelf } from './lib/cores.ts';
import { requirePeers } from './lib/peers.ts';
import { machine, publish } from './lib/report.ts';

const { values: options } = parseArgs({
  options: {
    /**
     * The parts to run, separated by commas: get, list, search, put, post, start, footprint,
     * memory, latency, turns, growth, mixed, observed, unchanged, streams.
     */
    only: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    /** The largest number of rows for memory, turns and growth. */
    rows: { type: 'string', default: '1000000' },
    /** A file to insert the report into as well. */
    into: { type: 'string' },
    /** The file for the plot of growth. */
    plot: { type: 'string' },
  },
});

requirePeers();
pinSelf();
const only = options.only?.split(',');
const rounds = Number(options.rounds);
const seconds = Number(options.seconds);
const rows = Number(options.rows);
const isWanted = (part: string) => only?.includes(part) ?? true;
const SIZES = [100, 1000, 10_000, 100_000, 1_000_000];

const report = [machine()];
const kinds = RATE_KINDS.filter(isWanted);
if (kinds.length > 0) report.push(await rates(kinds, rounds, seconds));
if (isWanted('start')) report.push(await starts(rounds));
if (isWanted('footprint')) report.push(await footprints());
if (isWanted('memory')) report.push(await memories(rows));
if (isWanted('latency')) report.push(await latencies(2 * seconds));
if (isWanted('turns')) report.push(await turns(rows, 10 * seconds));
if (isWanted('mixed')) report.push(await mixedWork(rounds, seconds));
if (isWanted('observed')) report.push(await observed(rounds, seconds));
if (isWanted('unchanged')) report.push(await unchanged(Math.min(rows, 100_000), rounds, seconds));
if (isWanted('streams')) report.push(await streams(rounds, seconds));
if (isWanted('growth')) {
  const sizes = SIZES.filter((size) => size <= rows);
  report.push(await growth(sizes, seconds, options.plot));
}
const major = process.versions.node.split('.')[0];
publish(`bench:http on Node ${major}`, report.join('\n\n'), options.into);
